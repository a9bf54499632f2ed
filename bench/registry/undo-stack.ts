/** What was opened, closed in reverse order; once, however it ends. */
export class UndoStack {
  #undos: { readonly what: string; run(): unknown }[] = [];

  push(what: string, run: () => unknown): void {
    this.#undos.push({ what, run });
  }

  /** Runs and forgets all; one that fails is reported and does not keep the others from running. */
  async run(): Promise<void> {
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) {
      try {
        await undo.run();
      } catch (error) {
        process.stderr.write(`could not close ${undo.what}: ${String(error)}\n`);
      }
    }
  }
}
