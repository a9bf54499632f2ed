import { X509Certificate } from 'node:crypto';
import { readSmallFile } from '@portolan/plugin-api';
import { certificateFileInvalid } from './command-line-errors.ts';
import { readFault } from '../terminal/read-input.ts';

/** Returns the CA certificates in a file as PEM text. Throws ERR_NAMED_FILE. */
export async function readAuthorities(file: string): Promise<string> {
  let text: string;
  try {
    text = await readSmallFile(file);
  } catch (error) {
    throw certificateFileInvalid(file, readFault(error), error);
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw certificateFileInvalid(file, 'it contains no certificate');
  for (const [at, block] of blocks.entries()) {
    try {
      void new X509Certificate(block);
    } catch (error) {
      throw certificateFileInvalid(file, `certificate ${at + 1} in it is damaged`, error);
    }
  }
  return blocks.join('\n');
}
