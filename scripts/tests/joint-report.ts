import type { TestEvent } from '../../test/support/reporter.ts';
import type { Durations } from './durations.ts';

export interface ReportOptions {
  readonly files: number;
  /** A file above this is told at the end. */
  readonly longMs: number;
  /** Whether `longMs` is of the processor's time, which other programs on this machine do not change. */
  readonly countsCpu: boolean;
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
}

/**
 * One report of several runs: a line for each file, or one that is written over
 * on a terminal; whatever a run with a failure has printed; at the end what was
 * skipped, which files took long, and the counts.
 */
export class JointReport {
  readonly #options: ReportOptions;
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #skipped = new Map<string, number>();
  readonly #took = new Map<string, number>();
  readonly #long: string[] = [];
  readonly #left: string[] = [];
  #files = 0;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** How long each file took so far. */
  get durations(): Durations {
    return this.#took;
  }

  get failed(): number {
    return this.#counts.failed;
  }

  take(event: TestEvent): void {
    if (event.type === 'skipped') {
      this.#skipped.set(event.title, (this.#skipped.get(event.title) ?? 0) + event.count);
    }
    if (event.type === 'left') {
      this.#left.push(`${event.file} has left ${event.name} in the folder for temporary files`);
      this.#counts.failed += 1;
    }
    if (event.type !== 'file') return;
    const { file, passed, failed, skipped } = event;
    this.#counts.passed += passed;
    this.#counts.failed += failed;
    this.#counts.skipped += skipped;
    this.#files += 1;
    this.#took.set(file, (this.#took.get(file) ?? 0) + Math.round(event.ms));
    const { longMs, countsCpu, files, isTerminal } = this.#options;
    const took = countsCpu ? event.cpuMs : event.ms;
    if (took > longMs) this.#long.push(`${seconds(took)}  ${file}`);
    const counts = `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    if (isTerminal) {
      const all = `${this.#counts.passed} passed, ${this.#counts.failed} failed, ${this.#counts.skipped} skipped`;
      this.#write(`\r\u{1b}[K${this.#files} of ${files} files: ${all}  ${file}`);
    } else {
      this.#write(`${file}: ${counts} (${seconds(event.ms)})\n`);
    }
  }

  /** A run has ended: what it printed is shown where something failed. */
  endOf(files: readonly string[], output: string, broken: string | undefined, isFailed: boolean): void {
    if (broken !== undefined) this.#counts.failed += 1;
    if (broken === undefined && !isFailed) return;
    if (this.#options.isTerminal) this.#write('\r\u{1b}[K');
    this.#write(output.endsWith('\n') ? output : `${output}\n`);
    if (broken !== undefined)
      this.#write(`The run of ${files[0] ?? ''} and the ${files.length - 1} files after it ${broken}.\n`);
  }

  end(): void {
    if (this.#options.isTerminal) this.#write('\r\u{1b}[K');
    for (const [title, count] of this.#skipped) this.#write(`skipped (${count}): ${title}\n`);
    for (const one of this.#left) this.#write(`${one}\n`);
    const what = this.#options.countsCpu ? 'of the processor' : 'each';
    if (this.#long.length > 0) {
      this.#write(
        `Files that took over ${seconds(this.#options.longMs)} ${what}:\n  ${this.#long.join('\n  ')}\n`,
      );
    }
    const { passed, failed, skipped } = this.#counts;
    this.#write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }

  #write(text: string): void {
    this.#options.write(text);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
