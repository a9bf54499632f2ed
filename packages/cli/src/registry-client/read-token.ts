import { findTokenFault, MOST_TOKEN_BYTES } from '@portolan/registry-client';
import type { Readable } from 'node:stream';
import { tokenFileInvalid } from '../errors.ts';
import { nameOfInput, readFault, readInput } from './read-input.ts';

/**
 * The access token in a file, without white space around it. Throws
 * ERR_TOKEN_FILE when there is none, or what no token can hold (RFC 6750,
 * section 2.1). The token stands in no message.
 */
export async function readToken(file: string, stdin: Readable): Promise<string> {
  const name = nameOfInput(file);
  let bytes: Buffer | undefined;
  try {
    bytes = await readInput(file, stdin, MOST_TOKEN_BYTES);
  } catch (error) {
    throw tokenFileInvalid(name, readFault(error), error);
  }
  if (bytes === undefined) throw tokenFileInvalid(name, `it has more than ${MOST_TOKEN_BYTES} bytes`);
  const token = bytes.toString('latin1').trim();
  const fault = findTokenFault(token);
  if (fault !== undefined) throw tokenFileInvalid(name, fault);
  return token;
}
