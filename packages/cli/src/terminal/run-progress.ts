import type { ImageProgress } from '@portolan/plugin-api';
import { printable } from './printable.ts';
import type { ProgressLine } from './progress-line.ts';

const LINE_EVERY_MS = 5000;
/**
 * Number of output lines of a build step that are not printed yet. The error of a failed step shows the same
 * number of lines.
 */
const HELD_LINES = 20;

/**
 * Shows the progress of a run: on a terminal as one changing line; elsewhere as a line for each step, for
 * each line of a build, and every few seconds for a pull. The last lines of a build step appear when the next
 * one begins, because the error of a failed step repeats them.
 */
export class RunProgress {
  readonly #line: ProgressLine;
  readonly #clock: () => number;
  readonly #prefix: string;
  readonly #pending: string[] = [];
  readonly #layers = new Map<string, { done: number; total: number | undefined }>();
  #lastLine = '';
  #toldAt = Number.NEGATIVE_INFINITY;

  /** Creates the progress of one workload. Each permanent line begins with `name`, if given. */
  constructor(line: ProgressLine, clock: () => number, name?: string) {
    this.#line = line;
    this.#clock = clock;
    this.#prefix = name === undefined ? '' : `${name}: `;
  }

  step(_step: string, text: string): void {
    this.#layers.clear();
    this.#toldAt = Number.NEGATIVE_INFINITY;
    if (text === this.#lastLine) return;
    this.#lastLine = text;
    this.#release(0);
    if (this.#line.isLive) this.#line.show(`${this.#prefix}${printable(text)}`);
    else this.#line.print([`${this.#prefix}${printable(text)}`]);
  }

  image(progress: ImageProgress): void {
    if (progress.step === 'layer') this.#layer(progress);
    else this.#output(progress.text);
  }

  warn(text: string): void {
    this.#line.print([`warning: ${this.#prefix}${printable(text)}`]);
  }

  note(text: string): void {
    this.#line.print([`${this.#prefix}${printable(text)}`]);
  }

  /** Prints the output lines that are still buffered, after a success, and removes the progress text. */
  finish(): void {
    this.#release(0);
    this.clear();
  }

  clear(): void {
    this.#line.clear();
  }

  #output(text: string): void {
    const lines = text
      .split(/\r\n|[\r\n]/)
      .map(printable)
      .filter((line) => line.trim() !== '');
    const last = lines.at(-1);
    if (last === undefined) return;
    if (this.#line.isLive) this.#line.show(`${this.#prefix}building: ${last.trim()}`);
    else {
      const step = lines.findLastIndex((line) => /^step \d/i.test(line));
      this.#pending.push(...lines.slice(0, step + 1));
      if (step !== -1) this.#release(0);
      this.#pending.push(...lines.slice(step + 1));
      this.#release(HELD_LINES);
    }
  }

  #release(keep: number): void {
    const lines = this.#pending.splice(0, Math.max(0, this.#pending.length - keep));
    if (lines.length > 0) this.#line.print(lines.map((line) => `${this.#prefix}${line}`));
  }

  #layer({ layer, doneBytes, totalBytes }: Extract<ImageProgress, { step: 'layer' }>): void {
    if (layer === '') return;
    const before = this.#layers.get(layer);
    // Unpacking a layer starts a new count; keep the larger number.
    const done = Math.max(before?.done ?? 0, doneBytes);
    this.#layers.set(layer, { done, total: totalBytes ?? before?.total });
    const text = `${this.#prefix}pulling: ${this.#sum()}`;
    if (this.#line.isLive) return this.#line.show(text);
    const now = this.#clock();
    if (now - this.#toldAt < LINE_EVERY_MS) return;
    this.#toldAt = now;
    this.#line.print([text]);
  }

  #sum(): string {
    const layers = [...this.#layers.values()];
    const done = layers.reduce((sum, layer) => sum + layer.done, 0);
    const total = layers.reduce((sum, layer) => sum + Math.max(layer.total ?? 0, layer.done), 0);
    return `${megabytes(done)} of ${megabytes(total)} MB (${layers.length} layers)`;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
