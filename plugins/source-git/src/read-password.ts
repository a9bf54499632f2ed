import { resolve } from 'node:path';
import { fileUnusable } from './errors.ts';
import type { GitConfig } from './git-config.ts';
import { readSmallFile } from './read-small-file.ts';

const MAX_BYTES = 65_536;

/** Returns the password in a file, as one trimmed line. Throws ERR_SOURCE_CREDENTIAL_FILE. */
export async function readPassword(
  { passwordFile }: NonNullable<GitConfig['auth']>,
  directory: string,
): Promise<string> {
  const text = await readSmallFile(resolve(directory, passwordFile), 'auth.passwordFile', MAX_BYTES);
  const password = text.trim();
  if (password === '') throw fileUnusable('auth.passwordFile', 'holds nothing');
  // oxlint-disable-next-line no-control-regex -- a line break would begin another attribute of the credential
  if (/[\u0000-\u001f]/.test(password)) throw fileUnusable('auth.passwordFile', 'holds more than one line');
  return password;
}
