import { LRUCache } from 'lru-cache';

/** Decisions that are remembered, and characters of what they are about. */
const MAX_DECISIONS = 50_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** What is longer is decided each time: nobody asks the same twice by so much. */
const LONGEST = 2048;

/**
 * What was decided, which is the same as long as caller, policies and everything
 * that the policies look at are. Forgotten as a whole when the policies change.
 * Bounded in number and size; what was not asked for longest goes first.
 */
export class RecentDecisions {
  readonly #decisions = new LRUCache<string, boolean>({ max: MAX_DECISIONS, maxSize: MAX_CHARACTERS });

  /**
   * Whether `caller`, by a name that no other has, may do what `question` names. Where
   * it cannot be decided (undefined) it is denied, and asked again the next time.
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
