import { type AskingProcess, askOnTerminal } from './ask-user.ts';

export type AskPassword = (question: string, signal?: AbortSignal) => Promise<string>;

/**
 * A function that asks for something secret on the terminal, without showing
 * it; undefined when there is none. It rejects when `stop` aborts.
 */
export function askPasswordOnTerminal(process: AskingProcess, stop: AbortSignal): AskPassword | undefined {
  const ask = askOnTerminal(process, { clear: () => undefined });
  if (ask === undefined) return undefined;
  return async (question, signal = stop) =>
    await ask(
      { name: question, description: undefined, isSecret: true, placeholder: undefined, choices: [] },
      signal,
    );
}
