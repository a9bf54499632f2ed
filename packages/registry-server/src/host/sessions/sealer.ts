import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@portolan/plugin-api';

const ALGORITHM = 'aes-256-gcm';
const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = ID_BYTES + NONCE_BYTES + TAG_BYTES;

interface Key {
  readonly id: Buffer;
  readonly key: Buffer;
}

/**
 * Encrypts data with AES-256-GCM for one place, such as a row. Encrypts with the first key, and decrypts with
 * the key that was used. Data cannot be decrypted for another place.
 */
export class Sealer {
  readonly #first: Key;
  readonly #all: readonly Key[];

  constructor(keys: readonly Buffer[]) {
    const all = keys.map((key) => ({ key, id: hash('sha256', key, 'buffer').subarray(0, ID_BYTES) }));
    const [first] = all;
    if (first === undefined) throw new TypeError('there is no encryption key');
    this.#first = first;
    this.#all = all;
  }

  seal(place: string, data: JsonObject): string {
    const nonce = randomBytes(NONCE_BYTES);
    const { id, key } = this.#first;
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(data), 'utf8'), cipher.final()]);
    return Buffer.concat([id, nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Decrypts data. Undefined for data of another place or key, and for modified data. */
  open(place: string, text: string): JsonObject | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length < HEAD_BYTES || bytes.toString('base64url') !== text) return undefined;
    const key = this.#all.find(({ id }) => id.equals(bytes.subarray(0, ID_BYTES)))?.key;
    if (key === undefined) return undefined;
    const nonce = bytes.subarray(ID_BYTES, ID_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(ID_BYTES + NONCE_BYTES, HEAD_BYTES));
    try {
      const opened = Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]);
      const data: unknown = JSON.parse(opened.toString('utf8'));
      return isJsonObject(data) ? data : undefined;
    } catch {
      // The authentication tag is wrong.
      return undefined;
    }
  }
}
