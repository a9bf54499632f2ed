import { processExited, processUnfinished } from './command-line-errors.ts';
import { exitStatusOf } from './exit-status.ts';
import { describeError } from '../terminal/report-error.ts';

/** The part of the process that is used here. */
export interface EndingProcess {
  exitCode?: number | string | null | undefined;
  readonly stderr: { write(text: string): unknown };
  on(event: 'exit', listener: (status: number) => void): unknown;
  on(event: 'uncaughtExceptionMonitor', listener: () => void): unknown;
  exit(status: number): never;
}

/**
 * Tells an end of the process that this program means from one that code of a
 * plugin or of a configuration brings about. That one is reported, and never
 * ends with status 0: a command that was not done must not look as if it were.
 */
export class ProcessEnd {
  readonly #process: EndingProcess;
  #explained = false;

  constructor(process: EndingProcess) {
    this.#process = process;
  }

  /** Watches from now on. With `debug`, reports show their stack. */
  watch({ debug }: { readonly debug: boolean }): void {
    // Node prints the exception itself.
    this.#process.on('uncaughtExceptionMonitor', () => {
      this.#explained = true;
    });
    this.#process.on('exit', (status) => {
      if (this.#explained) return;
      const caller = callerOfExit(new Error('at the end').stack ?? '');
      const error = caller === undefined ? processUnfinished() : processExited(status, caller);
      this.#process.stderr.write(describeError(error, { debug }));
      this.#process.exitCode = exitStatusOf(error);
    });
  }

  /** Ends the process, as this program means it. */
  end(status: number): never {
    this.#explained = true;
    return this.#process.exit(status);
  }
}

/** The end of this process. */
export const processEnd = new ProcessEnd(process);

/** Place in the code that called `process.exit`; undefined when nobody did: the process had nothing left to do. */
function callerOfExit(stack: string): string | undefined {
  const frames = stack.split('\n').map((line) => line.trim());
  const exit = frames.findIndex((frame) => frame.includes('(node:internal/process/'));
  if (exit < 0) return undefined;
  const caller = frames.slice(exit).find((frame) => !/\bnode:/.test(frame)) ?? 'at an unknown place';
  return /\(([^()]+)\)$/.exec(caller)?.[1] ?? caller.replace(/^at (?:async )?/, '');
}
