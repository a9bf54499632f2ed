import { X509Certificate } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import type { KindProblem } from '@portolan/plugin-api';
import { isCredential, MAX_BYTES } from './file-text.ts';

type FileFault = Omit<KindProblem, 'place'>;

// Returns the fault of a credential file. No message shows its content.

export function findCredentialFault(path: string): FileFault | undefined {
  return findFault(path, 'a file with one line of text', (text) =>
    isCredential(text) ? undefined : 'a file with more than one line of printable ASCII characters',
  );
}

export function findAuthoritiesFault(path: string): FileFault | undefined {
  return findFault(path, 'a PEM file with certificates', faultOfCertificates);
}

function findFault(
  path: string,
  expected: string,
  faultOfText: (text: string) => string | undefined,
): FileFault | undefined {
  const found = faultOfFile(path, faultOfText);
  return found === undefined ? undefined : { found, expected };
}

/**
 * Returns the fault of a file. Does not read pipes and devices, because a second read could return other
 * content.
 */
function faultOfFile(path: string, faultOfText: (text: string) => string | undefined): string | undefined {
  const shown = JSON.stringify(path);
  let text: string;
  try {
    const file: Stats = statSync(path);
    if (file.isDirectory()) return `the folder ${shown}`;
    if (!file.isFile()) return undefined;
    if (file.size > MAX_BYTES) return `${shown}, which has more than ${MAX_BYTES} bytes`;
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    return `${shown}, which ${reasonOf(error)}`;
  }
  return text === '' ? `the empty file ${shown}` : faultOfText(text);
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`;
}

function faultOfCertificates(text: string): string | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'a file without a certificate';
  return blocks.every(isCertificate) ? undefined : 'a file with a certificate that cannot be read';
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined;
  } catch {
    return false; // Any fault means that it is no certificate.
  }
}
