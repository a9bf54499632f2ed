/** Pauses in milliseconds. */
export interface Pauses {
  /** Before a connection that broke is made anew; it doubles each time. */
  readonly first: number;
  readonly longest: number;
  /** Until a resource that the cluster does not have, or that may not be watched, is asked for again. */
  readonly absent: number;
}

export const PAUSES: Pauses = { first: 500, longest: 15_000, absent: 10_000 };
