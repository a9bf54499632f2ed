import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileUnusable } from './errors.ts';
import type { GitConfig } from './git-config.ts';

/** The trimmed content of the password file, which is one line. Throws ERR_SOURCE_GIT_FILE. */
export async function readPassword(
  { passwordFile }: NonNullable<GitConfig['auth']>,
  directory: string,
): Promise<string> {
  const text = await readFile(resolve(directory, passwordFile), 'utf8').catch((error: unknown) => {
    throw fileUnusable('auth.passwordFile', 'cannot be read', error);
  });
  const password = text.trim();
  if (password === '') throw fileUnusable('auth.passwordFile', 'holds nothing');
  // oxlint-disable-next-line no-control-regex -- a line break would begin another attribute of the credential
  if (/[\u0000-\u001f]/.test(password)) throw fileUnusable('auth.passwordFile', 'holds more than one line');
  return password;
}
