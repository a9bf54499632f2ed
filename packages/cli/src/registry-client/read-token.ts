import type { Readable } from 'node:stream';
import { tokenFileInvalid } from '../errors.ts';
import { nameOfInput, readFault, readInput } from './read-input.ts';

const MOST_BYTES = 64 * 1024;

/**
 * The access token in a file, without white space around it. Throws
 * ERR_TOKEN_FILE when there is none, or what no token can hold (RFC 6750,
 * section 2.1). The token stands in no message.
 */
export async function readToken(file: string, stdin: Readable): Promise<string> {
  const name = nameOfInput(file);
  let bytes: Buffer | undefined;
  try {
    bytes = await readInput(file, stdin, MOST_BYTES);
  } catch (error) {
    throw tokenFileInvalid(name, readFault(error), error);
  }
  if (bytes === undefined) throw tokenFileInvalid(name, `it has more than ${MOST_BYTES} bytes`);
  const token = bytes.toString('latin1').trim();
  if (token === '') throw tokenFileInvalid(name, 'it is empty');
  if (/^bearer\s/i.test(token)) throw tokenFileInvalid(name, 'it begins with "Bearer"');
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token))
    throw tokenFileInvalid(name, 'it holds characters that no token has');
  return token;
}
