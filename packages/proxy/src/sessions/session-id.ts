import { randomBytes } from 'node:crypto';

/** Returns 128 random bits as 32 hexadecimal digits. */
export function mintSessionId(): string {
  return randomBytes(16).toString('hex');
}

/** Returns whether the id is valid: 1 to 256 visible ASCII characters. */
export function isSessionId(text: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(text);
}
