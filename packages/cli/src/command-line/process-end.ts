import { processExited, processUnfinished } from './command-line-errors.ts';
import { exitStatusOf } from './exit-status.ts';
import { describeError } from '../terminal/report-error.ts';

export interface EndingProcess {
  exitCode?: number | string | null | undefined;
  readonly stderr: { write(text: string): unknown };
  on(event: 'exit', listener: (status: number) => void): unknown;
  on(event: 'uncaughtExceptionMonitor', listener: () => void): unknown;
  exit(status: number): never;
}

/**
 * Reports an exit that code of a plugin or of the configuration causes, with a status other than 0, so that
 * an incomplete command does not look successful.
 */
export class ProcessEnd {
  readonly #process: EndingProcess;
  #explained = false;

  constructor(process: EndingProcess) {
    this.#process = process;
  }

  /** Starts watching. With `debug`, reports include the stack. */
  watch({ debug }: { readonly debug: boolean }): void {
    // Node.js prints the exception itself.
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

  end(status: number): never {
    this.#explained = true;
    return this.#process.exit(status);
  }
}

export const processEnd = new ProcessEnd(process);

/**
 * Returns the place in the code that called `process.exit`; undefined when the event loop became empty
 * instead.
 */
function callerOfExit(stack: string): string | undefined {
  const frames = stack.split('\n').map((line) => line.trim());
  const exit = frames.findIndex((frame) => frame.includes('(node:internal/process/'));
  if (exit < 0) return undefined;
  const caller = frames.slice(exit).find((frame) => !/\bnode:/.test(frame)) ?? 'at an unknown place';
  return /\(([^()]+)\)$/.exec(caller)?.[1] ?? caller.replace(/^at (?:async )?/, '');
}
