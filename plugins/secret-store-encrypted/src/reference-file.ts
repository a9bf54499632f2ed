import { createDecipheriv, createHash } from 'node:crypto';
import { foreignUnreadable } from './errors.ts';
import { MAX_PLAIN_BYTES, parseSecrets, type Secrets } from './sealed-file.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Minimum size in bytes of a file with content. */
export const SHORTEST_REFERENCE_FILE = NONCE_BYTES + TAG_BYTES;

/**
 * Reads `secrets_encrypted` of the reference implementation: a nonce, then AES-256-GCM with the SHA-256 of
 * the password as its key. A wrong password is indistinguishable from a damaged file. Throws
 * ERR_SECRET_IMPORT.
 */
export function readReferenceFile(content: Uint8Array, password: string): Secrets {
  if (content.length === 0) return new Map();
  if (content.length < SHORTEST_REFERENCE_FILE) throw foreignUnreadable('it is cut');
  if (content.length > MAX_PLAIN_BYTES + SHORTEST_REFERENCE_FILE) throw foreignUnreadable('it is too long');
  const key = createHash('sha256').update(password).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, content.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(content.subarray(content.length - TAG_BYTES));
  const plain = decipher.update(content.subarray(NONCE_BYTES, content.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw foreignUnreadable('the password is wrong, or the file was changed');
  }
  const secrets = parseSecrets(plain.toString('utf8'));
  if (secrets === undefined) throw foreignUnreadable('the decrypted content is not a list of secrets');
  return secrets;
}
