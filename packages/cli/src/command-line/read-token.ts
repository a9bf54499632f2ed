import { readAccessToken } from '@portolan/registry-client';
import type { Readable } from 'node:stream';
import { tokenFileInvalid } from './command-line-errors.ts';
import { nameOfInput, readFault, readInput } from '../terminal/read-input.ts';

/**
 * Returns the access token in a file, or on standard input for `-`; see `readAccessToken`. Throws
 * ERR_TOKEN_FILE.
 */
export async function readToken(file: string, stdin: Readable): Promise<string> {
  const name = nameOfInput(file);
  return await readAccessToken({
    read: async (maxBytes) => {
      try {
        return await readInput(file, stdin, maxBytes);
      } catch (error) {
        throw tokenFileInvalid(name, readFault(error), error);
      }
    },
    unusable: (because) => tokenFileInvalid(name, because),
  });
}
