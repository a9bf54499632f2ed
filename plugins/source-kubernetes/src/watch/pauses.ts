/** Pauses of a watch, in milliseconds. */
export interface Pauses {
  /** Pause before the first reconnection. It doubles each time. */
  readonly first: number;
  readonly longest: number;
  /** Pause before another request for a resource that is missing or forbidden. */
  readonly absent: number;
}

export const PAUSES: Pauses = { first: 500, longest: 15_000, absent: 10_000 };
