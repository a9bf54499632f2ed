import { setImmediate as afterOtherWork } from 'node:timers/promises';

/**
 * Maximum time in microseconds that all readers together process messages in one turn of the event loop. It
 * limits how much a flood slows down other sessions.
 */
const MAX_TURN_US = 50;

/** Length of a message, in bytes or characters, from which it is parsed in one turn of the event loop and judged in the next. */
export const LARGE_MESSAGE = 256 * 1024;

let waiting = 0;

/** Limits how long one reader of a server's output keeps the event loop. Time in which the reader waits for output does not count. */
export class Turn {
  #startedMs: number | undefined;

  /** Returns whether the reader must yield. The first call in a turn of the event loop starts the clock. */
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

  /** Lets other work of the event loop run, then starts the next turn. */
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
