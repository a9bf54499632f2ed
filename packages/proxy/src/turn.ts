import { setImmediate as afterOtherWork } from 'node:timers/promises';

/** Maximum time in milliseconds that one reader processes messages before other sessions are served. */
const MAX_TURN_MS = 5;

/** Length of a message, in bytes or characters, from which it is parsed in one turn of the event loop and judged in the next. */
export const LARGE_MESSAGE = 256 * 1024;

/** Limits how long one reader of a server's output keeps the event loop. Time in which the reader waits for output does not count. */
export class Turn {
  #startedMs: number | undefined;

  /** Returns whether the reader has to yield before it processes the next message. The first call in a turn of the event loop starts the clock. */
  isOver(): boolean {
    if (this.#startedMs !== undefined) return performance.now() - this.#startedMs >= MAX_TURN_MS;
    this.#startedMs = performance.now();
    setImmediate(() => {
      this.#startedMs = undefined;
    });
    return false;
  }

  /** Lets other work of the event loop run, then starts the next turn. */
  async yield(): Promise<void> {
    await afterOtherWork();
    this.#startedMs = undefined;
  }
}
