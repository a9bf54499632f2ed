import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { openUnnamed } from '@portolan/entry-format';
import type { PreparedVersion } from '../preparation/prepared-version.ts';

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

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(): Promise<Spool> {
    return new Spool(await openUnnamed(tmpdir()));
  }

  async append(version: PreparedVersion): Promise<void> {
    const line = `${JSON.stringify(version)}\n`;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (this.#pendingBytes >= WRITE_BYTES) await this.#flush();
  }

  /** Everything that was appended, in order, some at a time. */
  async *batches(size: number): AsyncGenerator<readonly PreparedVersion[]> {
    await this.#flush();
    let batch: PreparedVersion[] = [];
    for await (const line of this.#file.readLines({ start: 0, autoClose: false })) {
      // SAFETY: written by `append`.
      batch.push(JSON.parse(line) as PreparedVersion);
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
    if (text !== '') await this.#file.writeFile(text);
  }
}
