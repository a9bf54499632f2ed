import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { certificateFileInvalid } from '../errors.ts';
import { readFault } from './read-input.ts';

/**
 * Trusts the authorities in a file, beside those this process trusts already,
 * for every connection it makes from now on. Throws ERR_CERTIFICATE_FILE.
 */
export async function trustCertificates(file: string): Promise<void> {
  const certificates = await readCertificates(file);
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificates]);
}

async function readCertificates(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw certificateFileInvalid(file, readFault(error), error);
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw certificateFileInvalid(file, 'it holds no certificate');
  for (const [at, block] of blocks.entries()) {
    try {
      void new X509Certificate(block);
    } catch (error) {
      throw certificateFileInvalid(file, `certificate ${at + 1} in it is damaged`, error);
    }
  }
  return blocks;
}
