import type { Logger } from '@portolan/plugin-api';

/** What was opened, to be closed in reverse order. */
export class UndoStack {
  readonly #undos: { readonly name: string; readonly undo: () => unknown }[] = [];
  readonly #logger: Logger;
  #running: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Remembers how to close something that was just opened. */
  push(name: string, undo: () => unknown): void {
    this.#undos.push({ name, undo });
  }

  /**
   * Runs every undo once, the last one first. One that throws is logged, and the
   * rest still runs. Another call waits for the first and does nothing more.
   */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (let next = this.#undos.pop(); next !== undefined; next = this.#undos.pop()) {
      try {
        await next.undo();
      } catch (error) {
        this.#logger.error({ part: next.name, error }, 'closing a part failed');
      }
    }
  }
}
