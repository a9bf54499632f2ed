import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from '@portolan/run-spec';
import { tokenFileUnusable } from './login-errors.ts';

const MAX_BYTES = 64 * 1024;

/** Reads a token from a file, without the final line end. Throws ERR_TOKEN_FILE. */
export async function readTokenFile(file: string, flag: string): Promise<string> {
  let text: string;
  try {
    // Without O_NONBLOCK, opening a named pipe without a writer would block.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await handle.stat()).isFile()) throw tokenFileUnusable(flag, file, 'is not a regular file');
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(MAX_BYTES + 1) });
      if (bytesRead > MAX_BYTES) throw tokenFileUnusable(flag, file, 'is too long');
      text = buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ERR_TOKEN_FILE') throw error;
    throw tokenFileUnusable(flag, file, `cannot be read (${codeOf(error) ?? 'unknown'})`, error);
  }
  const token = text.replace(/\r?\n$/, '');
  if (!/^[!-~]+$/.test(token))
    throw tokenFileUnusable(flag, file, 'is empty, or has spaces or other characters in it');
  return token;
}
