import type { Readable } from 'node:stream';
import type { AskPassword } from './ask-password.ts';
import { secretValueUnusable } from '../terminal-errors.ts';
import { readInput, STANDARD_INPUT } from '../read-input.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Returns the value of a secret: from a pipe, without one final line break, else from a prompt on the
 * terminal. Throws ERR_BAD_ARGUMENT when the value is empty, too long or not text, and when there is neither
 * pipe nor terminal.
 */
export async function readSecretValue(
  name: string,
  stdin: Readable & { readonly isTTY?: boolean },
  ask: AskPassword | undefined,
): Promise<string> {
  if (stdin.isTTY === true && ask === undefined)
    throw secretValueUnusable('found neither a pipe nor a terminal');
  const value =
    stdin.isTTY === true && ask !== undefined ? await ask(`Value of ${name}`) : await readPipe(stdin);
  if (value === '') throw secretValueUnusable('it is empty');
  return value;
}

async function readPipe(stdin: Readable): Promise<string> {
  const bytes = await readInput(STANDARD_INPUT, stdin, MAX_BYTES);
  if (bytes === undefined) throw secretValueUnusable(`it has more than ${MAX_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch (error) {
    throw secretValueUnusable('it is not UTF-8 text', error);
  }
}
