import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** File of the certificate, for a list of trusted certificates. */
  readonly file: string;
}

/** Makes a self-signed certificate for these names. Rejects if `openssl` is not installed. */
export async function makeCertificate(folder: string, names: readonly string[]): Promise<Certificate> {
  const [file, keyFile] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')];
  const subject = [
    '-subj',
    '/CN=stand-in',
    '-addext',
    `subjectAltName=${names.map((name) => `DNS:${name}`).join()}`,
  ];
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  await promisify(execFile)('openssl', [...request, '-keyout', keyFile, '-out', file, ...subject]);
  const [cert, key] = await Promise.all([readFile(file), readFile(keyFile)]);
  return { cert, key, file };
}
