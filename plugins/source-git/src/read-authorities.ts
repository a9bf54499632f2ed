import { resolve } from 'node:path';
import { fileUnusable } from './errors.ts';
import { readSmallFile } from './read-small-file.ts';

/** Those of a whole system have about a quarter of a megabyte. */
const MAX_BYTES = 8_388_608;

/** Certificates of the file that `caCertPath` names; without one, git would trust nobody, and say that of the server. */
export async function readAuthorities(
  caCertPath: string,
  directory: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const file = resolve(directory, caCertPath);
  const text = await readSmallFile(file, 'caCertPath', MAX_BYTES);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw fileUnusable('caCertPath', 'holds no certificate');
  return { file, text };
}
