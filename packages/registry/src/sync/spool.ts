import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { openUnnamed } from '@portolan/entry-format';
import type { PreparedVersion } from '../preparation/prepared-version.ts';
import type { Removal } from './remove-versions.ts';
import { entriesTooLarge } from './sync-errors.ts';

/** What is to be done with one version, or with all of a name. */
export type SpoolStep = { readonly version: PreparedVersion } | { readonly removal: Removal };

/** What is written and read at once, in one buffer. */
const PIECE_BYTES = 256 * 1024;

/** A character of a text in memory is at most so long in UTF-8. */
const MAX_BYTES_OF_ONE = 3;

/** Most bytes of one source: a million entries as large as they usually are. Where the file lies may be memory. */
const MAX_BYTES = 2_147_483_648;

/** Before each step stands how many bytes it has. */
const LENGTH_BYTES = 4;

/**
 * Holds what a source reported on disk, until all of it is there: the database
 * is written only after the source was read to its end, and memory stays small
 * however large the source is. What waits to be written waits as bytes: as texts it
 * would outlive the next collections, and have V8 go through the whole heap about
 * twice as often, which stops every request. The file has no name, so that nothing
 * is left behind, whatever happens.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #mostBytes: number;
  /** What waits to be written, as far as `#pending`. */
  #piece: Buffer | undefined;
  #pending = 0;
  #end = 0;

  private constructor(file: FileHandle, mostBytes: number) {
    this.#file = file;
    this.#mostBytes = mostBytes;
  }

  static async open(mostBytes = MAX_BYTES): Promise<Spool> {
    return new Spool(await openUnnamed(tmpdir()), mostBytes);
  }

  /** Throws ERR_SYNC_TOO_LARGE. */
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

  /** Forgets what was appended. */
  async clear(): Promise<void> {
    this.#pending = 0;
    await this.#file.truncate(0);
    this.#end = 0;
  }

  /** Everything that was appended, in order, some at a time. */
  async *batches(size: number): AsyncGenerator<readonly SpoolStep[]> {
    await this.#flush();
    let batch: SpoolStep[] = [];
    for await (const bytes of this.#steps()) {
      // SAFETY: written by `append`.
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

  /** The bytes of one step after the other; each is gone with the next. */
  async *#steps(): AsyncGenerator<Buffer> {
    let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let at = 0; at < this.#end; ) {
      const held = await this.#read(piece, at);
      let done = 0;
      while (held - done >= LENGTH_BYTES) {
        const next = done + LENGTH_BYTES + piece.readUInt32LE(done);
        if (next > held) break;
        yield piece.subarray(done + LENGTH_BYTES, next);
        done = next;
      }
      at += done;
      // One step is longer than the buffer.
      if (done === 0) piece = Buffer.allocUnsafeSlow(LENGTH_BYTES + piece.readUInt32LE(0));
    }
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = 0;
    if (this.#piece !== undefined) await this.#write(this.#piece.subarray(0, pending));
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#end + bytes.length > this.#mostBytes) throw entriesTooLarge(this.#mostBytes);
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#end);
      written += bytesWritten;
      this.#end += bytesWritten;
    }
  }

  /** Fills the buffer from a place in the file as far as both reach; how many bytes that are. */
  async #read(into: Buffer, from: number): Promise<number> {
    const wanted = Math.min(into.length, this.#end - from);
    let held = 0;
    while (held < wanted) {
      const { bytesRead } = await this.#file.read(into, held, wanted - held, from + held);
      if (bytesRead === 0) throw new Error('the spool of a sync is shorter than what was written to it');
      held += bytesRead;
    }
    return held;
  }
}

function lengthFirst(bytes: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
