import { setImmediate as endOfTurn } from 'node:timers/promises';

/** Many times what a read takes that is answered at all. */
const PATIENCE_MS = 1000;

/**
 * Shares one read among all callers that may be answered by it: those who came
 * before it was sent. It is sent at the end of a turn of the event loop, which
 * under load brings many callers at once. Who comes while a read is under way
 * waits for the next one, so that no answer is older than its question. That one
 * is sent when the one before is over, or has taken `patienceMs`: a connection
 * that says nothing any more keeps nobody waiting but those who are on it.
 */
export class CoalescedRead<T> {
  readonly #read: () => Promise<T>;
  readonly #patienceMs: number;
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
    await settledOrLate(before, this.#patienceMs);
    await endOfTurn();
    this.#next = undefined;
    const reading = this.#read();
    this.#running = reading.then(ignore, ignore); // who waits for it is told
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
