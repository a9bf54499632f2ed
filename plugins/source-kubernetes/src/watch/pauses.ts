/** Pauses in milliseconds. */
export interface Pauses {
  /** Before the first reconnection; doubles each time. */
  readonly first: number;
  readonly longest: number;
  /** Before another request for a resource that is missing or forbidden. */
  readonly absent: number;
}

export const PAUSES: Pauses = { first: 500, longest: 15_000, absent: 10_000 };
