import type { Logger } from './plugin-context.ts';

/** Cleanup functions, which run in reverse order. */
export class UndoStack {
  readonly #undos: { readonly part: string; readonly undo: () => unknown }[] = [];
  readonly #logger: Logger;
  #running: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Adds the cleanup of what was just done. */
  push(part: string, undo: () => unknown): void {
    this.#undos.push({ part, undo });
  }

  /** Drops all cleanups; what was done stays. */
  forget(): void {
    this.#undos.length = 0;
  }

  /**
   * Runs each cleanup once, the last one first. One that throws is logged, and the rest still run. A
   * concurrent call waits for the first and runs what was added since.
   */
  async run(): Promise<void> {
    this.#running = this.#runAfter(this.#running);
    await this.#running;
  }

  async #runAfter(before: Promise<void> | undefined): Promise<void> {
    if (before !== undefined) await before;
    for (let next = this.#undos.pop(); next !== undefined; next = this.#undos.pop()) {
      try {
        await next.undo();
      } catch (error) {
        this.#logger.error({ part: next.part, err: error }, 'closing a part failed');
      }
    }
  }
}
