import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum milliseconds of work before a sync lets waiting requests run. */
const TURN_MS = 1;

/** If other work takes less than this, in milliseconds, no request is waiting. */
const QUIET_MS = 0.1;

/** Maximum wait for other work, in milliseconds, so that a sync progresses under any load. */
const MAX_MS = 5;

/**
 * Splits CPU-bound work into event loop turns. Without it, a source with thousands of entries in memory would
 * block every request until all are staged.
 */
export class OwnTurns {
  readonly #now: () => number;
  #begunMs: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunMs = now();
  }

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
