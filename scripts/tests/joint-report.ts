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

const MOST_LONG = 10;
const MOST_LINES = 24;

/**
 * One report of several runs: a line for each file, or one that is written over
 * on a terminal; whatever a run with a failure has printed; at the end what was
 * skipped, which files took longest, what failed, and the counts.
 */
export class JointReport {
  readonly #options: ReportOptions;
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #skipped = new Map<string, number>();
  readonly #took = new Map<string, number>();
  readonly #long: { readonly file: string; readonly took: number }[] = [];
  /** What failed, told once more at the end: whoever sees the last lines of a log alone is to know it. */
  readonly #failures: string[] = [];
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
      this.#failures.push(`${event.file} has left ${event.name} in the folder for temporary files`);
      this.#counts.failed += 1;
    }
    if (event.type === 'failure') {
      this.#failures.push(`${event.file}: ${event.title}\n${startOf(event.message)}`);
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
    if (took > longMs) this.#long.push({ file, took });
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
    if (broken === undefined) return;
    const what = `The run of ${files[0] ?? ''} and the ${files.length - 1} files after it ${broken}.`;
    this.#write(`${what}\n`);
    this.#failures.push(what);
  }

  end(): void {
    if (this.#options.isTerminal) this.#write('\r\u{1b}[K');
    for (const [title, count] of this.#skipped) this.#write(`skipped (${count}): ${title}\n`);
    const longest = this.#long.toSorted((one, other) => other.took - one.took).slice(0, MOST_LONG);
    if (longest.length > 0) {
      const what = this.#options.countsCpu ? 'of the processor' : 'each';
      const lines = longest.map(({ file, took }) => `  ${seconds(took)}  ${file}\n`);
      const count = `${this.#long.length}${this.#long.length > MOST_LONG ? `, the ${MOST_LONG} longest` : ''}`;
      this.#write(
        `Files that took over ${seconds(this.#options.longMs)} ${what} (${count}):\n${lines.join('')}`,
      );
    }
    for (const one of this.#failures) this.#write(`FAILED ${one}\n`);
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

function startOf(message: string): string {
  const lines = message.split('\n');
  const rest = lines.length > MOST_LINES ? ['...'] : [];
  return [...lines.slice(0, MOST_LINES), ...rest].map((line) => `    ${line}`).join('\n');
}
