/** Lets so many in at one time; the others wait, and come in in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Comes in, and answers how to leave again; leaving twice is leaving once.
   * Undefined when the signal aborted first: then nobody came in.
   */
  enter(): Promise<() => void>;
  enter(signal: AbortSignal): Promise<(() => void) | undefined>;
  async enter(signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (hasAborted(signal)) return undefined;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#queueUp(signal))) return undefined;
    const leave = this.#place();
    if (!hasAborted(signal)) return leave;
    leave();
    return undefined;
  }

  /** Whether a place was handed over before the signal aborted. */
  async #queueUp(signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const take = (): void => resolve(true);
    const giveUp = (): void => {
      const at = this.#queue.indexOf(take);
      // Not in the queue any more: it was called, and has a place.
      if (at >= 0) this.#queue.splice(at, 1);
      resolve(false);
    };
    this.#queue.push(take);
    signal?.addEventListener('abort', giveUp, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  #place(): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}

/** A question anew each time: it may abort while somebody waits. */
function hasAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
