import type { Semaphore, Source } from '@portolan/plugin-api';

/**
 * A place among the syncs that run at one time. While the source lets it wait, it is
 * another sync's: sources that hang, however many, keep none that answers waiting.
 */
export class PatientPlace {
  readonly #places: Semaphore;
  readonly #signal: AbortSignal;
  /** One for all that is waited for: a source may have a hundred thousand entries. */
  readonly #timer: NodeJS.Timeout;
  #isWaiting = false;
  /** Gives the place back; undefined while another sync has it. */
  #leave: (() => void) | undefined;

  private constructor(places: Semaphore, patienceMs: number, signal: AbortSignal, leave: () => void) {
    this.#places = places;
    this.#signal = signal;
    this.#leave = leave;
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) this.#lend();
    }, patienceMs).unref();
  }

  /** Waits for a place; undefined when the signal aborts before there is one. */
  static async enter(
    places: Semaphore,
    patienceMs: number,
    signal: AbortSignal,
  ): Promise<PatientPlace | undefined> {
    const leave = await places.enter(signal);
    return leave === undefined ? undefined : new PatientPlace(places, patienceMs, signal, leave);
  }

  /** Lets another sync in, until what is waited for is there. */
  #lend(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  /** For good. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#lend();
  }

  /** The same source; whoever waits for it does so without the place, but for the first moments. */
  given(source: Source): Source {
    const given: Source = {
      readEntries: (...read) => this.#items(source.readEntries(...read)),
      ...(source.fullReadEveryMs === undefined ? {} : { fullReadEveryMs: source.fullReadEveryMs }),
    };
    const readChanges = source.readChanges?.bind(source);
    if (readChanges !== undefined) given.readChanges = (...read) => this.#items(readChanges(...read));
    const fingerprint = source.fingerprint?.bind(source);
    if (fingerprint !== undefined) given.fingerprint = (...read) => this.#while(fingerprint(...read));
    return given;
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

  /** What the source answers, in a place again. */
  async #while<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#isWaiting = true;
    this.#timer.refresh();
    try {
      return await answer;
    } finally {
      this.#isWaiting = false;
      // Where the signal aborts first, the sync ends without one.
      this.#leave ??= await this.#places.enter(this.#signal);
    }
  }
}
