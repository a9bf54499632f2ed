const MAX_CHARACTERS = 64 * 1024;

/**
 * Writes the lines of one turn of the event loop together: under load a call of
 * the system for each of them would cost more than the rest of a request. They
 * are written at the end of the turn, past 64 kB, or when the process exits.
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
