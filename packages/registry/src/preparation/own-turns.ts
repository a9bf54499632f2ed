import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest that a sync keeps the thread from requests, as far as it can be divided. */
const TURN_MS = 1;

/** A turn of the event loop in which nobody else has done anything takes less. */
const QUIET_MS = 0.1;

/** Longest that a sync stands back for others: it is to get on under any load. */
const MAX_MS = 5;

/**
 * Divides work that never waits into turns of the event loop: a source that has
 * thousands of entries at hand, such as a page of another registry, would keep
 * every request waiting until all of them are stored aside. Whoever has something
 * to do after a turn goes first, until there is nothing, or for a while.
 */
export class OwnTurns {
  readonly #now: () => number;
  #begunMs: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunMs = now();
  }

  /** Settles at once while the turn lasts; else when others had theirs. */
  async next(): Promise<void> {
    const endedMs = this.#now();
    if (endedMs - this.#begunMs < TURN_MS) return;
    let nowMs = endedMs;
    for (let isQuiet = false; !isQuiet && nowMs - endedMs < MAX_MS; ) {
      const beforeMs = nowMs;
      await nextTurn();
      nowMs = this.#now();
      isQuiet = nowMs - beforeMs < QUIET_MS;
    }
    this.#begunMs = nowMs;
  }
}
