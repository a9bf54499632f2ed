import type { Logger } from './plugin-context.ts';

/** Runs cleanup functions in reverse order. */
export class UndoStack {
  readonly #undos: { readonly part: string; readonly undo: () => unknown }[] = [];
  readonly #logger: Logger;
  #running: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  push(part: string, undo: () => unknown): void {
    this.#undos.push({ part, undo });
  }

  /** Drops all cleanups without running them, so that what was done stays. */
  forget(): void {
    this.#undos.length = 0;
  }

  /**
   * Runs each cleanup once. Logs errors and continues. A concurrent call waits for the first call, then runs
   * the cleanups added since.
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
