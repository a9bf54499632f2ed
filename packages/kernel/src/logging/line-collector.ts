const MAX_CHARACTERS = 64 * 1024;

/**
 * Batches the lines of one event loop turn, because under load a system call per line would cost more than
 * the rest of a request. Lines are written at the end of the turn, above 64 kB, and when the process exits.
 */
export class LineCollector {
  readonly #destination: { write(text: string): unknown };
  #lines: string[] = [];
  #characters = 0;

  constructor(destination: { write(text: string): unknown }) {
    this.#destination = destination;
  }

  write(line: string): void {
    if (this.#lines.length === 0) {
      setImmediate(this.#flush);
      process.once('exit', this.#flush);
    }
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters > MAX_CHARACTERS) this.#flush();
  }

  readonly #flush = (): void => {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#characters = 0;
    process.removeListener('exit', this.#flush);
    this.#destination.write(text);
  };
}
