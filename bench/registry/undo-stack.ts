/** What was opened, closed in reverse order; once, however it ends. */
export class UndoStack {
  #running: Promise<void> | undefined;
  #undos: { readonly what: string; run(): unknown }[] = [];

  /** Remembers how to close what was just opened; when all is being closed already, does it at once and throws. */
  push(what: string, run: () => unknown): void {
    this.#undos.push({ what, run });
    if (this.#running === undefined) return;
    this.#running = this.#running.then(() => this.#runAll());
    void run();
    throw new Error(`${what} was opened too late`);
  }

  /** Runs and forgets all; one that fails is reported and does not keep the others from running. */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) {
      try {
        await undo.run();
      } catch (error) {
        process.stderr.write(`could not close ${undo.what}: ${String(error)}\n`);
      }
    }
  }
}
