import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { confirmationNeeded, notConfirmed } from '../terminal-errors.ts';

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/**
 * Asks a question, and returns after one of the accepted words in upper or lower case. Throws
 * ERR_NOT_CONFIRMED for any other answer and for an input that ends, and ERR_CONFIRMATION_NEEDED when the
 * input is not a terminal.
 */
export async function confirm(
  question: string,
  accepted: readonly string[],
  { input, output }: Terminal,
): Promise<void> {
  if (input.isTTY !== true) throw confirmationNeeded();
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', () => lines.close());
  });
  try {
    const reply = await Promise.race([lines.question(question), ended]);
    if (!accepted.includes(reply.trim().toLowerCase())) throw notConfirmed();
  } finally {
    lines.close();
  }
}
