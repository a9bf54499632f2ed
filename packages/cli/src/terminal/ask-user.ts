import type { RunQuestion } from '@portolan/workload';
import type { ProgressLine } from './progress-line.ts';

export interface AskingProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly pid: number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

export type AskUser = (question: RunQuestion, signal: AbortSignal) => Promise<string>;

/**
 * A function that asks on the terminal; undefined when there is none. Questions
 * stand on standard error. What is secret is not shown while it is typed. The
 * function rejects with the signal's reason when that aborts, Ctrl-C included.
 */
export function askOnTerminal(
  process: AskingProcess,
  line: Pick<ProgressLine, 'clear'>,
): AskUser | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question, signal) => {
    line.clear();
    const prompts = await import('@inquirer/prompts'); // takes long to load, and is seldom needed
    const context = { input: process.stdin, output: process.stderr, signal };
    const message = messageOf(question);
    return await heedingInterrupt(process, signal, async () => {
      if (question.choices.length > 0) {
        const choices = question.choices.map((value) => ({ value }));
        return await prompts.select({ message, choices }, context);
      }
      const validate = (text: string): true | string => text !== '' || 'a value is needed';
      if (question.isSecret) return await prompts.password({ message, mask: true, validate }, context);
      return await prompts.input({ message, validate }, context);
    });
  };
}

/**
 * Runs a prompt. It takes Ctrl-C for itself: the command is told of it, and the
 * reason of the signal is thrown.
 */
export async function heedingInterrupt<Answer>(
  process: Pick<AskingProcess, 'pid' | 'kill'>,
  signal: AbortSignal,
  prompt: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await prompt();
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      await new Promise<void>((resolve) => {
        // Waiting for a signal of the system does not keep a process running.
        const alive = setInterval(() => undefined, 1000);
        const stopped = (): void => {
          clearInterval(alive);
          resolve();
        };
        if (signal.aborted) stopped();
        signal.addEventListener('abort', stopped, { once: true });
        process.kill(process.pid, 'SIGINT');
      });
    }
    signal.throwIfAborted();
    throw error;
  }
}

function messageOf({ name, description, placeholder }: RunQuestion): string {
  const about = description === undefined || description === '' ? name : `${name} (${description})`;
  return placeholder === undefined || placeholder === '' ? about : `${about}, such as ${placeholder}`;
}
