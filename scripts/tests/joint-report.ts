import type { TestEvent } from '../../test/support/reporter.ts';
import type { Durations } from './durations.ts';

export interface ReportOptions {
  readonly files: number;
  /** A file above this is told at the end. */
  readonly longMs: number;
  /** Whether `longMs` is of the processor's time, which other programs on this machine do not change. */
  readonly countsCpu: boolean;
  readonly isTerminal: boolean;
  /** Whether the report repeats the whole output of a run that failed; otherwise only its failures. */
  readonly repeatsOutput: boolean;
  readonly write: (text: string) => void;
}

/** Maximum number of slow files that the summary names. */
const MAX_LONG = 10;
/** Maximum number of lines of one failure in the summary. */
const MAX_SUMMARY_LINES = 24;
/** Maximum number of lines that the report repeats of the output of a run that failed or broke off. */
const MAX_OUTPUT_LINES = 150;

/**
 * Joins the reports of several runs. Prints a line for each file (on a terminal, one line that
 * is overwritten), and the failures of a run when it ends. The summary lists skipped suites, slow
 * files, failures and the counts.
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
      this.#write(`${file}: ${counts} (${seconds(event.ms)}, CPU ${seconds(event.cpuMs)})\n`);
    }
  }

  /**
   * Prints why a run failed: its failures, as Mocha lists them after its last test, or the last
   * lines of a run that broke off. A tier has thousands of tests, so it never prints everything.
   */
  endOf(files: readonly string[], output: string, broken: string | undefined, isFailed: boolean): void {
    if (broken !== undefined) this.#counts.failed += 1;
    if (broken === undefined && !isFailed) return;
    if (this.#options.isTerminal) this.#write('\r\u{1b}[K');
    if (this.#options.repeatsOutput) this.#write(output.endsWith('\n') ? output : `${output}\n`);
    else this.#write(lastLines(broken === undefined ? failuresIn(output) : output));
    if (broken === undefined) return;
    const what = `The run of ${files[0] ?? ''} and the ${files.length - 1} files after it ${broken}.`;
    this.#write(`${what}\n`);
    this.#failures.push(what);
  }

  end(): void {
    if (this.#options.isTerminal) this.#write('\r\u{1b}[K');
    for (const [title, count] of this.#skipped) this.#write(`skipped (${count}): ${title}\n`);
    const longest = this.#long.toSorted((one, other) => other.took - one.took).slice(0, MAX_LONG);
    if (longest.length > 0) {
      const what = this.#options.countsCpu ? 'of the processor' : 'each';
      const lines = longest.map(({ file, took }) => `  ${seconds(took)}  ${file}\n`);
      const count = `${this.#long.length}${this.#long.length > MAX_LONG ? `, the ${MAX_LONG} longest` : ''}`;
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

/** Returns what Mocha prints after its last test, from the number of passed tests on. */
function failuresIn(output: string): string {
  const starts = [...output.matchAll(/^ {2}\d+ passing/gm)];
  return output.slice(starts.at(-1)?.index ?? 0);
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split('\n');
  const cut = lines.length - MAX_OUTPUT_LINES;
  return `${cut > 0 ? `... (${cut} lines before)\n` : ''}${lines.slice(-MAX_OUTPUT_LINES).join('\n')}\n`;
}

function startOf(message: string): string {
  const lines = message.split('\n');
  const rest = lines.length > MAX_SUMMARY_LINES ? ['...'] : [];
  return [...lines.slice(0, MAX_SUMMARY_LINES), ...rest].map((line) => `    ${line}`).join('\n');
}
