import { type AskingProcess, heedingInterrupt } from './ask-user.ts';

export interface AskedText {
  readonly message: string;
  /** What Enter answers; undefined: nothing. */
  readonly initial: string | undefined;
  /** True, or what is wrong with an answer. */
  readonly validate: (text: string) => true | string;
}

/** A function that asks for a text on the terminal; undefined when there is none. Questions stand on standard error. */
export function askTextOnTerminal(
  process: AskingProcess,
  signal: AbortSignal,
): ((question: AskedText) => Promise<string>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async ({ message, initial, validate }) => {
    const { input } = await import('@inquirer/prompts');
    const context = { input: process.stdin, output: process.stderr, signal };
    const question = {
      message,
      validate,
      ...(initial === undefined ? {} : { default: initial, prefill: 'editable' as const }),
    };
    return await heedingInterrupt(process, signal, () => input(question, context));
  };
}
