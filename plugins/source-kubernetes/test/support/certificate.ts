import { generateKeyPairSync } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** A certificate, and a key that is not its own: nothing is ever served with them. */
export const certificate = {
  cert: `${rootCertificates[0]}\n`,
  key: generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey,
};
