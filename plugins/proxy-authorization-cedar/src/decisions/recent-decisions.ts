import { LRUCache } from 'lru-cache';

const MAX_DECISIONS = 50_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Maximum length of a cached request. Longer ones rarely repeat. */
const LONGEST = 2048;

/**
 * A decision depends only on the caller, the policies, and what the policies read. A change of policies
 * clears the cache.
 */
export class RecentDecisions {
  readonly #decisions = new LRUCache<string, boolean>({ max: MAX_DECISIONS, maxSize: MAX_CHARACTERS });

  /**
   * `caller` is a unique key. If `decide` returns undefined, the call is denied and the result is not cached.
   */
  decide(caller: string, question: string, decide: () => boolean | undefined): boolean {
    if (question.length > LONGEST) return decide() === true;
    const key = caller + question;
    const before = this.#decisions.get(key);
    if (before !== undefined) return before;
    const decision = decide();
    if (decision === undefined) return false;
    this.#decisions.set(key, decision, { size: key.length });
    return decision;
  }

  clear(): void {
    this.#decisions.clear();
  }
}
