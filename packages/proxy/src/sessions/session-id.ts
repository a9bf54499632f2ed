import { randomBytes } from 'node:crypto';

/** An id nobody can guess: 128 random bits, as 32 hexadecimal digits. */
export function mintSessionId(): string {
  return randomBytes(16).toString('hex');
}

/** Whether a client may have been given such an id by anybody: 1 to 256 visible ASCII characters. */
export function isSessionId(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(text);
}
