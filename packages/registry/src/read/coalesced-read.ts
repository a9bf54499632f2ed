import { setImmediate as endOfTurn } from 'node:timers/promises';

/**
 * Shares one read among all callers that may be answered by it: those who came
 * before it was sent. It is sent at the end of a turn of the event loop, which
 * under load brings many callers at once. Who comes while a read is under way
 * waits for the next one, so that no answer is older than its question.
 */
export class CoalescedRead<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  fresh(): Promise<T> {
    this.#next ??= this.#start(this.#running);
    return this.#next;
  }

  async #start(before: Promise<unknown>): Promise<T> {
    await before;
    await endOfTurn();
    this.#next = undefined;
    const reading = this.#read();
    this.#running = reading.then(ignore, ignore); // who waits for it is told
    return reading;
  }
}

function ignore(): void {}
