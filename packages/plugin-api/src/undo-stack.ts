import type { Logger } from './plugin-context.ts';

/** What was opened or made, to be closed or taken back in reverse order. */
export class UndoStack {
  readonly #undos: { readonly part: string; readonly undo: () => unknown }[] = [];
  readonly #logger: Logger;
  #running: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Remembers how to undo what was just done. */
  push(part: string, undo: () => unknown): void {
    this.#undos.push({ part, undo });
  }

  /** What was done stays. */
  forget(): void {
    this.#undos.length = 0;
  }

  /**
   * Runs every undo once, the last one first. One that throws is logged, and the
   * rest still runs. Another call waits for the first, and runs what was pushed since.
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
