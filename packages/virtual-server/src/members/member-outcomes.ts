import type { HttpFault } from '@portolan/mcp-client';
import type { MemberOutcome } from '../options.ts';

const UNAUTHENTICATED: ReadonlySet<HttpFault['reason']> = new Set(['unauthorized', 'credentials']);
const FAILED: ReadonlySet<HttpFault['reason']> = new Set(['unreachable', 'unavailable', 'interrupted']);

/** Outcomes of the requests to one HTTP server, for the members that lead to it. */
export class MemberOutcomes {
  readonly #listeners = new Set<(outcome: MemberOutcome) => void>();

  /** Calls `listener` with each outcome. Returns a function that ends this. */
  readonly listen = (listener: (outcome: MemberOutcome) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Passes on how a request ended. */
  readonly settled = (end: 'responded' | HttpFault): void => {
    for (const listener of this.#listeners) listener(outcomeOf(end));
  };
}

/** Returns what the end of a request shows about the member. A rejected request shows that the member works. */
function outcomeOf(end: 'responded' | HttpFault): MemberOutcome {
  if (end === 'responded') return end;
  if (UNAUTHENTICATED.has(end.reason)) return 'unauthenticated';
  return FAILED.has(end.reason) ? 'failed' : 'responded';
}
