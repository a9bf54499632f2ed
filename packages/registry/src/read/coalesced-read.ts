import { setImmediate as endOfTurn } from 'node:timers/promises';

/** Many times what a read takes that is answered at all. */
const PATIENCE_MS = 1000;
/** So many are under way at most: reads that are slow, and not silent, would take the whole pool. */
const MAX_AT_ONCE = 5;

/**
 * Shares one read among all callers that may be answered by it: those who came
 * before it was sent. It is sent at the end of a turn of the event loop, which
 * under load brings many callers at once. Who comes while a read is under way
 * waits for the next one, so that no answer is older than its question. That one
 * is sent when the one before is over, or has taken `patienceMs` and not five are under way: a connection
 * that says nothing any more keeps nobody waiting but those who are on it.
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
    const running = reading.then(ignore, ignore); // who waits for it is told
    this.#running = running;
    this.#underWay.add(running);
    void running.then(() => this.#underWay.delete(running));
    return reading;
  }
}

/** Settles with the promise, which never rejects, or when the time is up. */
async function settledOrLate(running: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms).unref();
  await Promise.race([running, late.promise]);
  clearTimeout(timer);
}

function ignore(): void {}
