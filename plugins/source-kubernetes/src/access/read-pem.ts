import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { JsonObject } from '@portolan/plugin-api';
import { textOf } from '../objects/cluster-object.ts';
import { KubeconfigFault } from './kubeconfig-fault.ts';
import { readSmallFile } from './read-small-file.ts';

const CHECKS = {
  'certificate-authority': checkCertificates,
  'client-certificate': checkCertificates,
  'client-key': (text: string) => void createPrivateKey(text),
} as const;

/**
 * Returns `KEY-data`, or the file that `KEY` names, as base64 of PEM. Throws `KubeconfigFault` for invalid
 * content.
 */
export function readPem(
  from: JsonObject,
  key: keyof typeof CHECKS,
  pathOf: (file: string) => string,
): string | undefined {
  const data = textOf(from[`${key}-data`]);
  const file = textOf(from[key]);
  if (data === undefined && file === undefined) return undefined;
  const label = data === undefined ? key : `${key}-data`;
  const expected =
    key === 'client-key' ? 'a private key without a passphrase, as PEM' : 'certificates, as PEM';
  try {
    const text = data === undefined ? readSmallFile(pathOf(file ?? '')) : decoded(data);
    CHECKS[key](text);
    return Buffer.from(text, 'utf8').toString('base64');
  } catch (cause) {
    throw new KubeconfigFault('kubeconfig', `a ${label} that cannot be read`, expected, cause);
  }
}

function decoded(data: string): string {
  return Buffer.from(data, 'base64').toString('utf8');
}

function checkCertificates(text: string): void {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('no certificate');
  for (const block of blocks) void new X509Certificate(block);
}
