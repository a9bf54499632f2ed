import type { Person, RunObserver, ConsentDecision, ConsentQuestion } from '@portolan/workload';
import { askOnTerminal, type AskingProcess, heedingInterrupt } from '../terminal/ask/ask-user.ts';
import { formatDifference } from '../terminal/format/format-difference.ts';
import { personAtTerminal } from '../terminal/ask/person-at-terminal.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { RunProgress } from '../terminal/run-progress.ts';
import { WorkloadCommand } from './workload-command.ts';
import { enlargeHeap } from '../supervisor/heap-limit.ts';
import { supervisorProgram } from '../supervisor/supervisor-program.ts';
import { formatGrants } from '../terminal/format/format-grants.ts';

/** Duration of each step of a command, printed when the next one begins, for --debug. */
export class StepTimes {
  readonly #tell: (line: string) => void;
  readonly #clock: () => number;
  readonly #startedMs: number;
  #step: { readonly text: string; readonly sinceMs: number } | undefined;

  constructor(tell: (line: string) => void, clock: () => number) {
    this.#tell = tell;
    this.#clock = clock;
    this.#startedMs = clock();
  }

  step(text: string): void {
    if (text === this.#step?.text) return;
    const now = this.#end();
    this.#step = { text, sinceMs: now };
  }

  finish(): void {
    if (this.#step === undefined) return;
    const now = this.#end();
    this.#tell(`debug: total: ${seconds(now - this.#startedMs)}`);
  }

  #end(): number {
    const now = this.#clock();
    const step = this.#step;
    this.#step = undefined;
    if (step !== undefined) this.#tell(`debug: ${step.text}: ${seconds(now - step.sinceMs)}`);
    return now;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export abstract class StartingCommand extends WorkloadCommand {
  #line = new ProgressLine(process.stderr);

  /**
   * Returns progress output on standard error; with several workloads, each line has the name of its
   * workload.
   */
  protected progress(name?: string): RunProgress {
    return new RunProgress(this.#line, () => performance.now(), name);
  }

  /** Returns an observer that shows the progress of a start, and asks questions if there is a terminal. */
  protected observer(
    progress: RunProgress,
    ready: RunObserver['ready'],
    debug = false,
  ): RunObserver & { readonly person: Person } {
    const ask = askOnTerminal(process, this.#line);
    const consent = askConsent(process, this.#line);
    const times = debug
      ? new StepTimes(
          (line) => progress.note(line),
          () => performance.now(),
        )
      : undefined;
    return {
      step: (step, text) => {
        times?.step(text);
        progress.step(step, text);
      },
      image: (image) => progress.image(image),
      warn: (text) => progress.warn(text),
      note: (text) => progress.note(text),
      output: (text) => progress.note(text),
      difference: (difference) => {
        for (const line of formatDifference(difference)) progress.note(line);
      },
      ready: (workload) => {
        times?.finish();
        progress.clear();
        enlargeHeap(); // in the foreground, this process handles the calls
        ready(workload);
      },
      ...(ask === undefined ? {} : { ask }),
      ...(consent === undefined ? {} : { consent }),
      person: personAtTerminal({
        process,
        environment: process.env,
        print: (lines) => this.#line.print(lines),
      }),
    };
  }

  protected supervisorProgram(): readonly string[] {
    return supervisorProgram(this.config.root);
  }
}

type AskConsent = (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentDecision>;

/**
 * Returns a function that shows all grants of a run and asks once; undefined without a terminal. Any text other than yes and always means no. Rejects with the signal's reason.
 */
function askConsent(process: AskingProcess, line: Pick<ProgressLine, 'print'>): AskConsent | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async ({ asker, grants }, signal) => {
    const isEntry = asker.author === 'entry';
    const who = isEntry ? `The entry ${asker.name} of ${asker.origin}` : `The file ${asker.name}`;
    line.print(formatGrants(`${who} asks for:`, grants));
    const { input } = await import('@inquirer/prompts');
    const context = { input: process.stdin, output: process.stderr, signal };
    const message = `Allow it? [y]es, once / [a]lways for this ${isEntry ? 'entry' : 'file'} / [n]o (default: no)`;
    const reply = await heedingInterrupt(process, signal, () => input({ message }, context));
    return readConsent(reply);
  };
}

/** Parses the text that the user entered. */
function readConsent(text: string): ConsentDecision {
  const word = text.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return 'once';
  return word === 'a' || word === 'always' ? 'always' : 'no';
}
