import { stat } from 'node:fs/promises';
import { readSmallFile } from '@portolan/plugin-api';
import { fileUnusable } from '../errors.ts';

/** Maximum size of a file in bytes. No token, secret or list of authorities is larger. */
export const MAX_BYTES = 1024 * 1024;

/** A small file that may be replaced while the server runs, as mounted secrets are. */
export class FileText {
  readonly path: string;
  #signature = '';
  #text = '';

  constructor(path: string) {
    this.path = path;
  }

  /** Returns trimmed text. Throws ERR_OAUTH_CONFIG. */
  async read(): Promise<string> {
    try {
      const { size, mtimeMs, ino, dev } = await stat(this.path);
      const signature = [size, mtimeMs, ino, dev].join();
      // The file was replaced during the read, so the next call reads it again.
      if (signature !== this.#signature) {
        this.#text = (await readSmallFile(this.path, { maxBytes: MAX_BYTES })).trim();
        this.#signature = signature;
      }
    } catch (cause) {
      const reason = reasonOf(cause);
      throw fileUnusable(
        this.path,
        reason === 'EFBIG' ? `is larger than ${MAX_BYTES} bytes` : `cannot be read: ${reason}`,
        cause,
      );
    }
    if (this.#text === '') throw fileUnusable(this.path, 'is empty');
    return this.#text;
  }

  /** Requires text that is valid in a header and a form. Throws ERR_OAUTH_CONFIG. */
  async readCredential(): Promise<string> {
    const text = await this.read();
    if (!isCredential(text)) {
      throw fileUnusable(this.path, 'holds more than one line of printable ASCII characters');
    }
    return text;
  }
}

export function isCredential(text: string): boolean {
  return /^[ -~]+$/.test(text);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}
