import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { openUnnamed } from '@portolan/entry-format';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import type { Removal } from './remove-versions.ts';
import { entriesTooLarge } from '../sync-errors.ts';

/** A change of one version, or the removal of all versions of a name. */
export type SpoolStep = { readonly version: PreparedVersion } | { readonly removal: Removal };

/** Size of the buffer for writing and reading, in bytes. */
const PIECE_BYTES = 256 * 1024;

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_OF_ONE = 3;

/** Maximum size of one staged source in bytes: about a million entries. The file may be in memory (tmpfs). */
const MAX_BYTES = 2_147_483_648;

/** Size of the length prefix of each step, in bytes. */
const LENGTH_BYTES = 4;

/**
 * Stages a source on disk until the read is complete, so memory stays bounded. Pending data is held as bytes:
 * strings would survive young-generation collections and double the full ones, which block every request. The
 * file is unlinked, so it never outlives the process.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  /** Buffer of pending bytes, filled up to `#pending`. */
  #piece: Buffer | undefined;
  #pending = 0;
  #end = 0;

  private constructor(file: FileHandle, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  static async open(maxBytes = MAX_BYTES): Promise<Spool> {
    return new Spool(await openUnnamed(tmpdir()), maxBytes);
  }

  /** Appends a step. Throws ERR_SOURCE_TOO_LARGE above the maximum size. */
  async append(step: SpoolStep): Promise<void> {
    const text = JSON.stringify(step);
    const most = LENGTH_BYTES + text.length * MAX_BYTES_OF_ONE;
    if (this.#pending + most > PIECE_BYTES) await this.#flush();
    if (most > PIECE_BYTES) return await this.#write(lengthFirst(Buffer.from(text)));
    this.#piece ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    const length = this.#piece.write(text, this.#pending + LENGTH_BYTES);
    this.#piece.writeUInt32LE(length, this.#pending);
    this.#pending += LENGTH_BYTES + length;
  }

  async clear(): Promise<void> {
    this.#pending = 0;
    await this.#file.truncate(0);
    this.#end = 0;
  }

  /** Yields all appended steps in order, in batches. */
  async *batches(size: number): AsyncGenerator<readonly SpoolStep[]> {
    await this.#flush();
    let batch: SpoolStep[] = [];
    for await (const bytes of this.#steps()) {
      // SAFETY: `append` wrote it.
      batch.push(JSON.parse(bytes.toString()) as SpoolStep);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Yields the bytes of each step. They are valid only until the next step is requested. */
  async *#steps(): AsyncGenerator<Buffer> {
    let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let at = 0; at < this.#end; ) {
      const size = await this.#read(piece, at);
      let done = 0;
      while (size - done >= LENGTH_BYTES) {
        const next = done + LENGTH_BYTES + piece.readUInt32LE(done);
        if (next > size) break;
        yield piece.subarray(done + LENGTH_BYTES, next);
        done = next;
      }
      at += done;
      // The next step is longer than the buffer, so allocate a larger one.
      if (done === 0) piece = Buffer.allocUnsafeSlow(LENGTH_BYTES + piece.readUInt32LE(0));
    }
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = 0;
    if (this.#piece !== undefined) await this.#write(this.#piece.subarray(0, pending));
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#end + bytes.length > this.#maxBytes) throw entriesTooLarge(this.#maxBytes);
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#end);
      written += bytesWritten;
      this.#end += bytesWritten;
    }
  }

  /** Reads from the file into a buffer. Returns the number of bytes. */
  async #read(into: Buffer, from: number): Promise<number> {
    const requested = Math.min(into.length, this.#end - from);
    let size = 0;
    while (size < requested) {
      const { bytesRead } = await this.#file.read(into, size, requested - size, from + size);
      if (bytesRead === 0) throw new Error('the spool of a sync is shorter than the data written to it');
      size += bytesRead;
    }
    return size;
  }
}

function lengthFirst(bytes: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
