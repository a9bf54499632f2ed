/** Stack of clean-up functions. Runs each once, in reverse order. */
export class UndoStack {
  #running: Promise<void> | undefined;
  #undos: { readonly what: string; run(): unknown }[] = [];

  /** Adds a clean-up. If the stack already runs, it runs the clean-up at once and throws. */
  push(what: string, run: () => unknown): void {
    this.#undos.push({ what, run });
    if (this.#running === undefined) return;
    this.#running = this.#running.then(() => this.#runAll());
    void run();
    throw new Error(`${what} was opened too late`);
  }

  /** Runs and removes all clean-ups. Reports a failure and continues. */
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
