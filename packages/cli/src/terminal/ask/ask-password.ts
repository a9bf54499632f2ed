import { type AskingProcess, askOnTerminal } from './ask-user.ts';

export type AskPassword = (question: string, signal?: AbortSignal) => Promise<string>;

/**
 * Returns a function that asks for a secret without echoing it; undefined without a terminal. The function
 * rejects when `stop` aborts.
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
