import { setImmediate as afterOtherWork } from 'node:timers/promises';

/**
 * Maximum microseconds of all readers in one turn of the event loop, so that a flood does not slow down other
 * sessions.
 */
const MAX_TURN_US = 50;

/** Length of messages that are parsed and judged in separate turns of the event loop. */
export const LARGE_MESSAGE = 256 * 1024;

let waiting = 0;

/**
 * Limits how long one reader of server messages occupies the event loop. Time in which the reader waits does
 * not count.
 */
export class Turn {
  #startedMs: number | undefined;

  /** Returns whether the reader must yield. The first call in a turn starts the clock. */
  isOver(): boolean {
    if (this.#startedMs !== undefined) {
      const limitUs = MAX_TURN_US / (1 + waiting);
      return (performance.now() - this.#startedMs) * 1000 >= limitUs;
    }
    this.#startedMs = performance.now();
    setImmediate(() => {
      this.#startedMs = undefined;
    });
    return false;
  }

  async yield(): Promise<void> {
    waiting += 1;
    try {
      await afterOtherWork();
    } finally {
      waiting -= 1;
    }
    this.#startedMs = undefined;
  }
}
