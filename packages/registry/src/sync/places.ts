/** So many may be inside at one time; the others wait in order. */
export class Places {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** How to leave again; undefined when the signal aborted first. */
  async enter(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#queueUp(signal))) return undefined;
    const leave = (): void => {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
    if (!signal.aborted) return leave;
    leave();
    return undefined;
  }

  /** Whether a place was handed over before the signal aborted. */
  async #queueUp(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const take = (): void => resolve(true);
    const giveUp = (): void => {
      const at = this.#queue.indexOf(take);
      // Not in the queue any more: it was called, and has a place.
      if (at >= 0) this.#queue.splice(at, 1);
      resolve(false);
    };
    this.#queue.push(take);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  }
}
