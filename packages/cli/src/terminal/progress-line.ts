import type { Writable } from 'node:stream';

export interface ProgressOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const CLEAR = '\r\u001B[K';

/**
 * What a long command is doing: on a terminal one line that is overwritten,
 * above which lasting lines are printed; elsewhere the lasting lines only.
 */
export class ProgressLine {
  readonly #output: ProgressOutput;
  #shown = false;

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /** Whether it shows what is going on, so that lines about what went well are not needed. */
  get isLive(): boolean {
    return this.#output.isTTY === true;
  }

  /** Shows a text in place of the one before; cut to the width of the terminal. */
  show(text: string): void {
    if (!this.isLive) return;
    const width = Math.max(10, (this.#output.columns ?? 80) - 1);
    this.#output.write(`${CLEAR}${text.slice(0, width)}`);
    this.#shown = true;
  }

  /** Prints lines that stay. */
  print(lines: readonly string[]): void {
    this.clear();
    for (const line of lines) this.#output.write(`${line}\n`);
  }

  /** Takes away what is shown. */
  clear(): void {
    if (this.#shown) this.#output.write(CLEAR);
    this.#shown = false;
  }
}
