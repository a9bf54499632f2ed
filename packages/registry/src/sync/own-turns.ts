import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest that a sync keeps the thread from requests, as far as it can be divided. */
const TURN_MS = 1;

/**
 * Divides work that never waits into turns of the event loop: a source that has
 * thousands of entries at hand, such as a page of another registry, would keep
 * every request waiting until all of them are stored aside.
 */
export class OwnTurns {
  #begunMs = performance.now();

  /** Settles at once while the turn lasts; else when others had theirs. */
  async next(): Promise<void> {
    if (performance.now() - this.#begunMs < TURN_MS) return;
    await nextTurn();
    this.#begunMs = performance.now();
  }
}
