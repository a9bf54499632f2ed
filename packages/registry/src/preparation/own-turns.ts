import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum time for which a sync occupies the thread before requests get their turn, in milliseconds. */
const TURN_MS = 1;

/** An event loop turn shorter than this, in milliseconds, means that no other work is waiting. */
const QUIET_MS = 0.1;

/**
 * Maximum time for which a sync yields to other work, in milliseconds, so that it progresses under any load.
 */
const MAX_MS = 5;

/**
 * Splits CPU-bound work into event loop turns. Without it, a source with thousands of entries in memory, such
 * as a page of another registry, would block every request until all entries are staged. After each turn,
 * other work goes first, for at most `MAX_MS`.
 */
export class OwnTurns {
  readonly #now: () => number;
  #begunMs: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunMs = now();
  }

  /** Resolves at once while the current turn lasts, otherwise after other work had its turn. */
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
