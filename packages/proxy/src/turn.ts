import { setImmediate } from 'node:timers/promises';

/** Maximum time in milliseconds that one reader processes messages before other sessions are served. */
const MAX_TURN_MS = 5;

/** Limits how long one reader of a server's output keeps the event loop. */
export class Turn {
  #startedMs = performance.now();

  /** Whether the reader has to yield before it processes the next message. */
  get isOver(): boolean {
    return performance.now() - this.#startedMs >= MAX_TURN_MS;
  }

  /** Lets other work of the event loop run, then starts the next turn. */
  async yield(): Promise<void> {
    await setImmediate();
    this.#startedMs = performance.now();
  }
}
