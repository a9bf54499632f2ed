/** Callers whose decisions about lists are remembered, and decisions of each. */
const MOST_CALLERS = 64;
const MOST_DECISIONS = 10_000;

/**
 * Decisions about items of lists, which are the same as long as caller, policies
 * and items are. Forgotten as a whole when the policies change.
 */
export class RecentDecisions {
  readonly #callers = new Map<string, Map<string, boolean>>();

  /** Those of a caller, by item. Callers who come back stay longest. */
  of(caller: string): { decide(item: string, decide: () => boolean): boolean } {
    const known = this.#callers.get(caller) ?? new Map<string, boolean>();
    this.#callers.delete(caller);
    this.#callers.set(caller, known);
    const [oldest] = this.#callers.keys();
    if (this.#callers.size > MOST_CALLERS && oldest !== undefined) this.#callers.delete(oldest);
    return {
      decide: (item, decide) => {
        const before = known.get(item);
        if (before !== undefined) return before;
        const decision = decide();
        if (known.size >= MOST_DECISIONS) known.clear();
        known.set(item, decision);
        return decision;
      },
    };
  }

  clear(): void {
    this.#callers.clear();
  }
}
