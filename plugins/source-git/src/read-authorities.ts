import { resolve } from 'node:path';
import { fileUnusable } from './errors.ts';
import { readSmallFile } from './read-small-file.ts';

/** Maximum size of the certificates in bytes. All certificates of a system take about 250 kB. */
const MAX_BYTES = 8_388_608;

/**
 * Reads the certificate authorities. Rejects an empty file, because git would trust nothing and report that
 * as a fault of the server.
 */
export async function readAuthorities(
  caCertPath: string,
  directory: string,
): Promise<{ readonly file: string; readonly text: string }> {
  const file = resolve(directory, caCertPath);
  const text = await readSmallFile(file, 'caCertPath', MAX_BYTES);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw fileUnusable('caCertPath', 'holds no certificate');
  return { file, text };
}
