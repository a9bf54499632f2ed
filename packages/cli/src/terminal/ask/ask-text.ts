import { type AskingProcess, heedingInterrupt } from './ask-user.ts';

export interface TextPrompt {
  readonly message: string;
  /** Default that Enter accepts; undefined without one. */
  readonly initial: string | undefined;
  /** Returns true for a valid text, otherwise what is wrong with it. */
  readonly validate: (text: string) => true | string;
}

/** Returns a function that asks for a text on standard error; undefined without a terminal. */
export function askTextOnTerminal(
  process: AskingProcess,
  signal: AbortSignal,
): ((question: TextPrompt) => Promise<string>) | undefined {
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
