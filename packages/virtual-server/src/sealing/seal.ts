import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Maximum length of a sealed text. Longer texts of clients are not opened. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Seals values that clients send back, such as cursors, so that clients can neither read nor change them. The
 * key is random, so sealed values are valid until the process ends.
 */
export class Seal {
  readonly #key = randomBytes(32);

  /** Returns a URL-safe text. `purpose` must be the same when the text is opened. */
  close(purpose: string, value: unknown): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Returns the value, or undefined for a text that was not sealed here for this purpose. */
  open(purpose: string, text: string): unknown {
    if (text.length > MAX_CHARACTERS || !/^[\w-]+$/.test(text)) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    const isWhole = bytes.toString('base64url') === text && bytes.length > NONCE_BYTES + TAG_BYTES;
    if (!isWhole) return undefined;
    const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const opened = Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]);
      return JSON.parse(opened.toString('utf8'));
    } catch {
      return undefined;
    }
  }
}
