import { setImmediate as endOfTurn } from 'node:timers/promises';

/** Time after which a read that has not completed no longer delays the next one, in milliseconds. */
const PATIENCE_MS = 1000;
/** Maximum number of concurrent reads. Without it, slow reads would exhaust the pool. */
const MAX_AT_ONCE = 5;

/**
 * Shares one read among concurrent callers, sent at the end of an event loop turn. A caller who arrives while
 * a read is in progress waits for the next one, so no result is older than its request. The next read starts
 * when the previous one completes, or after `patienceMs` if fewer than five are in progress, so a hung
 * connection delays only the callers that wait on it.
 */
export class CoalescedRead<T> {
  readonly #read: () => Promise<T>;
  readonly #patienceMs: number;
  readonly #underWay = new Set<Promise<unknown>>();
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>, patienceMs = PATIENCE_MS) {
    this.#read = read;
    this.#patienceMs = patienceMs;
  }

  fresh(): Promise<T> {
    this.#next ??= this.#start(this.#running);
    return this.#next;
  }

  async #start(before: Promise<unknown>): Promise<T> {
    if (this.#underWay.size > 0) await settledOrLate(before, this.#patienceMs);
    while (this.#underWay.size >= MAX_AT_ONCE) await Promise.race(this.#underWay);
    await endOfTurn();
    this.#next = undefined;
    const reading = this.#read();
    const running = reading.then(ignore, ignore); // its callers handle the rejection
    this.#running = running;
    this.#underWay.add(running);
    void running.then(() => this.#underWay.delete(running));
    return reading;
  }
}

/** Resolves when the promise, which never rejects, settles or the time is over. */
async function settledOrLate(running: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms).unref();
  await Promise.race([running, late.promise]);
  clearTimeout(timer);
}

function ignore(): void {}
