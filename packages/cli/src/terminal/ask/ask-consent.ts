import type { ConsentDecision, ConsentQuestion } from '@portolan/workload';
import { type AskingProcess, heedingInterrupt } from './ask-user.ts';
import { formatGrants } from '../format/format-grants.ts';
import type { ProgressLine } from '../progress-line.ts';

export type AskConsent = (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentDecision>;

/**
 * Returns a function that shows all grants of a run and asks once; undefined without a terminal. Any text other than yes and always means no. Rejects with the signal's reason.
 */
export function askConsent(
  process: AskingProcess,
  line: Pick<ProgressLine, 'print'>,
): AskConsent | undefined {
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
export function readConsent(text: string): ConsentDecision {
  const word = text.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return 'once';
  return word === 'a' || word === 'always' ? 'always' : 'no';
}
