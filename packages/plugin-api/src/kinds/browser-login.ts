/**
 * Browser login at one provider. Stateless: the caller keeps data for later steps secret, so that any replica
 * can continue.
 */
export interface BrowserLogin {
  /** Unique name, shown for selection and used in addresses. */
  readonly name: string;
  /**
   * Starts a login. Returns the address to which the browser goes. Throws class `unavailable` for an
   * unreachable provider and `refused` for a provider that cannot be used.
   */
  begin(redirectUri: string, signal: AbortSignal): Promise<LoginAttempt>;
  /**
   * Completes a login from the address that the browser returned to. Throws class `refused` for a redirect
   * that does not belong to the `pending` of the attempt or reports a refusal, and `unavailable`.
   */
  finish(redirect: URL, pending: string, signal: AbortSignal): Promise<LoginTokens>;
  /**
   * Obtains new tokens with `LoginTokens.renewal`. Throws class `refused` when the user must log in again,
   * and `unavailable` for temporary failures.
   */
  renew(renewal: string, signal: AbortSignal): Promise<LoginTokens>;
  /** Tells the provider that the login has ended, if the provider supports that. Never throws. */
  end(renewal: string, signal: AbortSignal): Promise<void>;
  /**
   * Returns where the user logs out at the provider and returns to `backTo` (OpenID Connect RP-Initiated
   * Logout 1.0); undefined without such an endpoint. `farewell` is from the user's tokens. Never throws.
   */
  leave?(farewell: string | undefined, backTo: string, signal: AbortSignal): Promise<URL | undefined>;
}

export interface LoginAttempt {
  readonly url: URL;
  /**
   * Data that `finish` needs to validate the redirect. Secret. The caller stores it so that only the same
   * browser can complete the login.
   */
  readonly pending: string;
}

export interface LoginTokens {
  readonly token: string;
  /** Undefined when the provider does not report it. */
  readonly expiresAt: Date | undefined;
  /** Argument of `renew`, usable once. Undefined when the login ends with the token. */
  readonly renewal: string | undefined;
  /** Display name; not used for decisions. */
  readonly name: string | undefined;
  /** Argument of `leave`. Secret, because it may identify the user. Undefined keeps the previous one. */
  readonly farewell?: string | undefined;
}
