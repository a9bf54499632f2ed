export interface LoginPrompt {
  readonly url: string;
  /** Code to type on another device; undefined when the address suffices. */
  readonly code: string | undefined;
  readonly opens: boolean;
  readonly at: string;
  /** Host, or another name, that receives the token. */
  readonly tokenFor: string;
  /** Purpose of the login: a workload, or a registry. */
  readonly forWhat: string;
  /** Whether the user may ask for more time, because there is no configured limit. */
  readonly isExtensible: boolean;
}

/** User at the terminal, if any. */
export interface Person {
  readonly isThere: boolean;
  readonly hasBrowser: boolean;
  /** Shows where to log in. Always shows the address, even when it opens a browser. */
  showLogin(prompt: LoginPrompt): Promise<void>;
  /**
   * Registers a callback for the user's requests for more time. The callback returns the new deadline.
   * Returns a function that unregisters it.
   */
  onMoreTime(then: () => Date): () => void;
}
