import { readSmallFile } from '@portolan/plugin-api';
import { fileUnreadable } from '../state/state-errors.ts';
import { badCertificateFile } from './build-errors.ts';

export interface BuildCertificates {
  /** Certificates of the file, without a private key in it. */
  readonly pem: string;
  readonly notes: readonly string[];
}

/**
 * Reads the file of `--ca-cert`. Its first block must be a certificate. A certificate that is not a CA gets a
 * note. Throws ERR_NAMED_FILE and ERR_SETTING.
 */
export async function readCertificates(file: string | undefined): Promise<BuildCertificates | undefined> {
  if (file === undefined || file === '') return undefined;
  let text: string;
  try {
    text = await readSmallFile(file);
  } catch (error) {
    throw fileUnreadable('certificate file', file, error);
  }
  const kind = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1];
  if (kind !== 'CERTIFICATE') {
    throw badCertificateFile(
      file,
      kind === undefined ? 'it is not a PEM file' : `its first block is a ${kind.toLowerCase()}`,
    );
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const { X509Certificate } = await import('node:crypto');
  try {
    const areAuthorities = blocks.map((block) => new X509Certificate(block).ca);
    const notes = areAuthorities.includes(false)
      ? [`${file} has a certificate that is not marked as a CA certificate.`]
      : [];
    if (blocks.length === 0) throw new TypeError('there is no whole certificate in it');
    return { pem: `${blocks.join('\n')}\n`, notes };
  } catch (error) {
    throw badCertificateFile(file, 'a certificate in it cannot be read', error);
  }
}
