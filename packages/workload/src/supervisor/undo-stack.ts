import type { Logger } from '@portolan/plugin-api';

/** What a run has made, to be taken back in reverse order when it fails. */
export class UndoStack {
  readonly #undos: { readonly part: string; readonly undo: () => Promise<unknown> }[] = [];
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Remembers how to take back what was just made. */
  push(part: string, undo: () => Promise<unknown>): void {
    this.#undos.push({ part, undo });
  }

  /** What was made stays. */
  forget(): void {
    this.#undos.length = 0;
  }

  /** Runs every undo once, the last one first. One that throws is logged, and the rest still runs. */
  async run(): Promise<void> {
    for (let next = this.#undos.pop(); next !== undefined; next = this.#undos.pop()) {
      try {
        await next.undo();
      } catch (error) {
        this.#logger.error(
          { part: next.part, err: error },
          'taking back a part of a failed run did not work',
        );
      }
    }
  }
}
