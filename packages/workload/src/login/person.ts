/** Where somebody has to go to log in. */
export interface LoginPrompt {
  readonly url: string;
  /** What is typed there, on another device; undefined where the address says it all. */
  readonly code: string | undefined;
  /** Whether a browser may be opened on this machine. */
  readonly opens: boolean;
  /** Host where the person logs in. */
  readonly at: string;
  /** Host, or another name, that the token is for. */
  readonly tokenFor: string;
  /** What the login is for: a workload, or a registry. */
  readonly forWhat: string;
  /** Whether more time may be asked for, since no limit was given and nothing else has one. */
  readonly isExtensible: boolean;
}

/** Whoever sits at the terminal, if anybody does. */
export interface Person {
  /** Whether somebody is there who can act. */
  readonly isThere: boolean;
  /** Whether this machine can open a browser. */
  readonly hasBrowser: boolean;
  /** Shows where to log in; the address is shown in any case. */
  showLogin(prompt: LoginPrompt): Promise<void>;
  /** Calls back whenever more time is asked for, which says until when there is time now; the answer ends that. */
  onMoreTime(then: () => Date): () => void;
}
