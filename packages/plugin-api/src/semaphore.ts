/** Limits the number of concurrent callers. Further callers wait in order of arrival. */
export class Semaphore {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Waits for a slot. Returns a function that releases it and may be called repeatedly. Undefined when the
   * signal aborts first.
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

  /** Resolves to whether a slot was assigned before the signal aborted. */
  async #queueUp(signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const take = (): void => resolve(true);
    const giveUp = (): void => {
      const at = this.#queue.indexOf(take);
      // A caller that is no longer in the queue already has a slot.
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

/** Returns whether the signal has aborted. A function, because the value may change while a caller waits. */
function hasAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted ?? false;
}
