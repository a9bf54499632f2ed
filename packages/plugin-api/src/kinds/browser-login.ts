/**
 * A way to log people in with a browser, at one provider. It keeps nothing of
 * anybody: what has to be known later is given back, for whoever asked to keep
 * secret, so that any replica can go on with it.
 */
export interface BrowserLogin {
  /** Of the provider: shown to choose from, and in addresses. Each has its own. */
  readonly name: string;
  /** Where the browser goes. Throws class `unavailable` where the provider does not answer, and `refused` where it cannot be used. */
  begin(redirectUri: string, signal: AbortSignal): Promise<BegunLogin>;
  /**
   * The browser has come back to this address. Throws class `refused` where it is not
   * the answer to `begun.pending`, or one that says no, and `unavailable` where the
   * provider does not answer.
   */
  finish(redirect: URL, pending: string, signal: AbortSignal): Promise<LoginTokens>;
  /** New tokens. Throws class `refused` where somebody has to log in again, and `unavailable` for what may pass. */
  renew(renewal: string, signal: AbortSignal): Promise<LoginTokens>;
  /** The login is over; the provider is told where it wants to know. Never throws. */
  end(renewal: string, signal: AbortSignal): Promise<void>;
  /**
   * Where somebody logs out at the provider itself, and comes back to `backTo` from
   * (OpenID Connect RP-Initiated Logout 1.0); undefined where it has no such place.
   * `farewell` is that of their tokens. Never throws. Left out: there never is one.
   */
  leave?(farewell: string | undefined, backTo: string, signal: AbortSignal): Promise<URL | undefined>;
}

export interface BegunLogin {
  readonly url: URL;
  /** What the redirect is held against. Secret, and bound to the browser by whoever keeps it. */
  readonly pending: string;
}

/** What a login has brought. */
export interface LoginTokens {
  /** What stands behind `Bearer` in requests. */
  readonly token: string;
  /** Undefined where the provider does not say. */
  readonly expiresAt: Date | undefined;
  /** What `renew` wants; undefined where the login ends with the token. Good once: each renewal brings another. */
  readonly renewal: string | undefined;
  /** For whoever reads it, such as an e-mail address; nothing is decided by it. Undefined where the provider does not say. */
  readonly name: string | undefined;
  /** What `leave` wants. Secret: it may say who they are. Undefined: nothing, or what it was before. */
  readonly farewell?: string | undefined;
}
