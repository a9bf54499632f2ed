import type { Writable } from 'node:stream';

export interface ProgressOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const CLEAR = '\r\u001B[K';

/**
 * Progress of a long command. On a terminal, it is one line that is overwritten, with permanent lines above
 * it; elsewhere there are only the permanent lines.
 */
export class ProgressLine {
  readonly #output: ProgressOutput;
  #shown = false;

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /** Whether progress is visible, so that lines about successful steps are not needed. */
  get isLive(): boolean {
    return this.#output.isTTY === true;
  }

  /** Replaces the progress text, shortened to the width of the terminal. */
  show(text: string): void {
    if (!this.isLive) return;
    const width = Math.max(10, (this.#output.columns ?? 80) - 1);
    this.#output.write(`${CLEAR}${text.slice(0, width)}`);
    this.#shown = true;
  }

  print(lines: readonly string[]): void {
    this.clear();
    for (const line of lines) this.#output.write(`${line}\n`);
  }

  clear(): void {
    if (this.#shown) this.#output.write(CLEAR);
    this.#shown = false;
  }
}
