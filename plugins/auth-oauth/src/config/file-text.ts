import { stat } from 'node:fs/promises';
import { readSmallFile } from '@portolan/plugin-api';
import { fileUnusable } from '../errors.ts';

/** More is no token, secret or list of authorities that anybody needs. */
export const MAX_BYTES = 1024 * 1024;

/** A small text in a file that may be replaced while the server runs, as mounted secrets are. */
export class FileText {
  readonly path: string;
  #signature = '';
  #text = '';

  constructor(path: string) {
    this.path = path;
  }

  /** The trimmed text as it stands there now. Throws ERR_OAUTH_CONFIG. */
  async read(): Promise<string> {
    try {
      const { size, mtimeMs, ino, dev } = await stat(this.path);
      const signature = [size, mtimeMs, ino, dev].join();
      // Replaced in between, it is read once more the next time.
      if (signature !== this.#signature) {
        this.#text = (await readSmallFile(this.path, { mostBytes: MAX_BYTES })).trim();
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

  /** The text, if it can stand in a header or a form. Throws ERR_OAUTH_CONFIG. */
  async readCredential(): Promise<string> {
    const text = await this.read();
    if (!isCredential(text)) {
      throw fileUnusable(this.path, 'holds more than one line of printable ASCII characters');
    }
    return text;
  }
}

/** Whether a text can stand in a header or a form. */
export function isCredential(text: string): boolean {
  return /^[ -~]+$/.test(text);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}
