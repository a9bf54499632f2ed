export interface LoginPrompt {
  readonly url: string;
  /** Code to type on another device; undefined when the address suffices. */
  readonly code: string | undefined;
  readonly opens: boolean;
  readonly at: string;
  /** Host, or another display name, of the server that receives the token. */
  readonly tokenFor: string;
  /** Purpose of the login in messages: the name of a workload, or the address of a registry. */
  readonly forWhat: string;
  /** Whether the user may extend the wait for the login, which is possible without a configured limit. */
  readonly isExtensible: boolean;
}

/** User at the terminal. `isThere` is false when there is no terminal. */
export interface Person {
  readonly isThere: boolean;
  readonly hasBrowser: boolean;
  /** Shows where to log in. Always shows the address, even when it opens a browser. */
  showLogin(prompt: LoginPrompt): Promise<void>;
  /**
   * Registers a callback that runs when the user requests more time. The callback returns the new deadline.
   * `onMoreTime` returns a function that unregisters the callback.
   */
  onMoreTime(then: () => Date): () => void;
}
