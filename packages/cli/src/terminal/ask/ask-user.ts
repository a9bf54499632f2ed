import type { RunQuestion } from '@portolan/workload';
import { inputEnded } from '../terminal-errors.ts';
import type { ProgressLine } from '../progress-line.ts';

export interface AskingProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
  readonly pid: number;
  kill(pid: number, signal: NodeJS.Signals): unknown;
}

export type AskUser = (question: RunQuestion, signal: AbortSignal) => Promise<string>;

/**
 * Returns a function that asks on standard error, and does not echo secrets; undefined without a terminal.
 * The function rejects with the signal's reason when the signal aborts, also on Ctrl-C.
 */
export function askOnTerminal(
  process: AskingProcess,
  line: Pick<ProgressLine, 'clear'>,
): AskUser | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question, signal) => {
    line.clear();
    const prompts = await import('@inquirer/prompts'); // slow to load, and seldom needed
    const context = { input: process.stdin, output: process.stderr, signal };
    const message = messageOf(question);
    const ask = async (): Promise<string> => {
      if (question.choices.length > 0) {
        const choices = question.choices.map((value) => ({ value }));
        return await prompts.select({ message, choices }, context);
      }
      const validate = (text: string): true | string => text !== '' || 'a value is required';
      if (question.isSecret) return await prompts.password({ message, mask: true, validate }, context);
      return await prompts.input({ message, validate }, context);
    };
    return await heedingInterrupt(process, signal, ask, missingOf(question));
  };
}

/** Returns what the user did not enter, for the error after an input that ends. */
function missingOf({ isSecret, name }: RunQuestion): string {
  if (!isSecret) return 'answer';
  return /password/i.test(name) ? 'password' : 'value';
}

/**
 * Runs a prompt. The prompt handles Ctrl-C: the command gets a SIGINT, and the reason of the
 * signal is thrown. Throws ERR_CONFIRMATION_NEEDED, which names what is missing, when the input ends.
 */
export async function heedingInterrupt<Answer>(
  process: Pick<AskingProcess, 'pid' | 'kill' | 'stdin'>,
  signal: AbortSignal,
  prompt: () => Promise<Answer>,
  missing = 'answer',
): Promise<Answer> {
  try {
    return await untilInputEnds(process.stdin, prompt, missing);
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      await new Promise<void>((resolve) => {
        // A listener for a signal cannot keep the process running, so an interval does.
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

/** Rejects when the input ends. The prompt would leave its promise pending, and the process would exit. */
async function untilInputEnds<Answer>(
  stdin: AskingProcess['stdin'],
  prompt: () => Promise<Answer>,
  missing: string,
): Promise<Answer> {
  const ended = Promise.withResolvers<never>();
  // A completed prompt pauses the input too, but its promise settles before `setImmediate` runs.
  const end = (): void => void setImmediate(() => ended.reject(inputEnded(missing)));
  const events = ['pause', 'end', 'close'] as const;
  for (const event of events) stdin.once(event, end);
  try {
    return await Promise.race([prompt(), ended.promise]);
  } finally {
    for (const event of events) stdin.off(event, end);
    ended.promise.catch(() => undefined);
  }
}

function messageOf({ name, description, placeholder }: RunQuestion): string {
  const about = description === undefined || description === '' ? name : `${name} (${description})`;
  return placeholder === undefined || placeholder === '' ? about : `${about}, such as ${placeholder}`;
}
