/**
 * Browser login at one provider. It is stateless: data for later steps is returned to the caller, who keeps
 * it secret, so that any replica can continue.
 */
export interface BrowserLogin {
  /** Unique name of the provider, shown for selection and used in addresses. */
  readonly name: string;
  /**
   * Starts a login and returns where the browser goes. Throws class `unavailable` for an unreachable provider
   * and `refused` for an unusable one.
   */
  begin(redirectUri: string, signal: AbortSignal): Promise<BegunLogin>;
  /**
   * Completes a login from the address that the browser returned to. Throws class `refused` for a redirect
   * that does not belong to `begun.pending` or reports a refusal, and `unavailable` for an unreachable
   * provider.
   */
  finish(redirect: URL, pending: string, signal: AbortSignal): Promise<LoginTokens>;
  /**
   * Renews the tokens. Throws class `refused` when the user must log in again, and `unavailable` for
   * temporary failures.
   */
  renew(renewal: string, signal: AbortSignal): Promise<LoginTokens>;
  /** Ends the login and notifies the provider if it supports that. Never throws. */
  end(renewal: string, signal: AbortSignal): Promise<void>;
  /**
   * Returns where the user logs out at the provider itself and returns to `backTo` (OpenID Connect
   * RP-Initiated Logout 1.0); undefined when the provider has no such endpoint. `farewell` is the value from
   * the user's tokens. Never throws. Absent when never supported.
   */
  leave?(farewell: string | undefined, backTo: string, signal: AbortSignal): Promise<URL | undefined>;
}

export interface BegunLogin {
  readonly url: URL;
  /** State to validate the redirect. Secret; the caller binds it to the browser. */
  readonly pending: string;
}

/** Result of a login. */
export interface LoginTokens {
  /** Bearer token for requests. */
  readonly token: string;
  /** Undefined when the provider does not report it. */
  readonly expiresAt: Date | undefined;
  /**
   * Argument of `renew`, usable once: each renewal returns a new one. Undefined when the login ends with the
   * token.
   */
  readonly renewal: string | undefined;
  /**
   * Display name, such as an e-mail address; not used for decisions. Undefined when the provider does not
   * report one.
   */
  readonly name: string | undefined;
  /**
   * Argument of `leave`. Secret, because it may identify the user. Undefined for none, or to keep the
   * previous one.
   */
  readonly farewell?: string | undefined;
}
