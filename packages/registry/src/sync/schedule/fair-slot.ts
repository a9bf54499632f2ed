import type { Semaphore, Source } from '@portolan/plugin-api';

/**
 * A slot among the concurrent syncs. While the sync waits for its source, another may use it, so that hanging
 * sources never delay responsive ones.
 */
export class FairSlot {
  readonly #places: Semaphore;
  readonly #signal: AbortSignal;
  /**
   * One timer for all waits, because a source may yield a hundred thousand entries, each with its own wait.
   */
  readonly #timer: NodeJS.Timeout;
  #isWaiting = false;
  /** Function that releases the slot. Undefined while another sync uses the slot. */
  #leave: (() => void) | undefined;

  private constructor(places: Semaphore, patienceMs: number, signal: AbortSignal, leave: () => void) {
    this.#places = places;
    this.#signal = signal;
    this.#leave = leave;
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) this.#lend();
    }, patienceMs).unref();
  }

  /** Waits for a slot. Returns undefined when the signal aborts first. */
  static async enter(
    places: Semaphore,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<FairSlot | undefined> {
    const leave = await places.enter(signal);
    return leave === undefined ? undefined : new FairSlot(places, patienceMs, signal, leave);
  }

  /** Lends the slot to another sync until the awaited result arrives. */
  #lend(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** Releases the slot permanently. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#lend();
  }

  /** Wraps a source so that a long wait for it lends the slot to another sync. */
  limit(source: Source): Source {
    const input: Source = {
      readEntries: (...read) => this.#items(source.readEntries(...read)),
      ...(source.fullReadEveryMs === undefined ? {} : { fullReadEveryMs: source.fullReadEveryMs }),
    };
    const readChanges = source.readChanges?.bind(source);
    if (readChanges !== undefined) input.readChanges = (...read) => this.#items(readChanges(...read));
    const fingerprint = source.fingerprint?.bind(source);
    if (fingerprint !== undefined) input.fingerprint = (...read) => this.#while(fingerprint(...read));
    return input;
  }

  async *#items<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    const iterator = items[Symbol.asyncIterator]();
    let isOver = false;
    try {
      for (;;) {
        const next = await this.#while(iterator.next());
        isOver = next.done === true;
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      if (!isOver) await iterator.return?.();
    }
  }

  /** Awaits a result of the source and reacquires the slot. */
  async #while<Answer>(result: Promise<Answer>): Promise<Answer> {
    this.#isWaiting = true;
    this.#timer.refresh();
    try {
      return await result;
    } finally {
      this.#isWaiting = false;
      // When the signal aborts first, the sync ends without its slot.
      this.#leave ??= await this.#places.enter(this.#signal);
    }
  }
}
