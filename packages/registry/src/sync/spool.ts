import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { openUnnamed } from '@portolan/entry-format';
import type { PreparedVersion } from '../preparation/prepared-version.ts';
import type { Removal } from './remove-versions.ts';

/** What is to be done with one version, or with all of a name. */
export type SpoolStep = { readonly version: PreparedVersion } | { readonly removal: Removal };

const WRITE_BYTES = 256 * 1024;

/**
 * Holds what a source reported on disk, until all of it is there: the database
 * is written only after the source was read to its end, and memory stays small
 * however large the source is. The file has no name, so that nothing is left
 * behind, whatever happens.
 */
export class Spool {
  readonly #file: FileHandle;
  #pending: string[] = [];
  #pendingBytes = 0;
  #end = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<Spool> {
    return new Spool(await openUnnamed(tmpdir()));
  }

  async append(step: SpoolStep): Promise<void> {
    const line = `${JSON.stringify(step)}\n`;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (this.#pendingBytes >= WRITE_BYTES) await this.#flush();
  }

  /** Forgets what was appended. */
  async clear(): Promise<void> {
    this.#pending = [];
    this.#pendingBytes = 0;
    await this.#file.truncate(0);
    this.#end = 0;
  }

  /** Everything that was appended, in order, some at a time. */
  async *batches(size: number): AsyncGenerator<readonly SpoolStep[]> {
    await this.#flush();
    let batch: SpoolStep[] = [];
    for await (const line of this.#file.readLines({ start: 0, autoClose: false })) {
      // SAFETY: written by `append`.
      batch.push(JSON.parse(line) as SpoolStep);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#pendingBytes = 0;
    if (text === '') return;
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#end);
      written += bytesWritten;
      this.#end += bytesWritten;
    }
  }
}
