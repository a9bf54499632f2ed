/**
 * Shares one read among all callers that may be answered by it: those who came
 * before it was sent. Who comes while a read is under way waits for the next
 * one, so that no answer is older than its question.
 */
export class CoalescedRead<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  fresh(): Promise<T> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<T> {
    const running = this.#read().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    this.#next = undefined;
    return running;
  }
}
