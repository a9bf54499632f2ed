import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { readCatalogue } from '@portolan/entry-format';
import type { PluginContext, SkippedEntry, Source, SourceEntry } from '@portolan/plugin-api';
import { fileChanged, fileMissing, fileUnreadable, notAFile } from './errors.ts';
import { readChunks } from './read-chunks.ts';
import { watchFile } from './watch-file.ts';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { signatureOf } from './file-signature.ts';

/** Source that reads a local file in pieces and watches it. */
export class PathSource implements Source {
  /**
   * Path as configured, for messages. The absolute path would tell readers of the status too much about the
   * machine.
   */
  readonly #shown: string;
  readonly #file: string;
  readonly #logger: PluginContext['logger'];
  /** Hash that `fingerprint` returned. The next `readEntries` must read the same bytes. */
  #promised: string | undefined;
  /** Signature of the file when it was last opened. */
  #seen: string | undefined;

  constructor(path: string, context: Pick<PluginContext, 'directory' | 'logger'>) {
    this.#shown = path;
    this.#file = resolve(context.directory, path);
    this.#logger = context.logger;
  }

  /**
   * Throws ERR_SOURCE_FILE_CHANGED at the end when the bytes differ from those of the preceding
   * `fingerprint`.
   */
  async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
    const promised = this.#promised;
    this.#promised = undefined;
    const hash = createHash('sha256');
    yield* readCatalogue(this.#bytes(signal, hash), { signal });
    if (promised !== undefined && hash.digest('hex') !== promised) throw fileChanged(this.#shown);
  }

  /** Returns the SHA-256 of the bytes, in hexadecimal. */
  async fingerprint(signal: AbortSignal): Promise<string> {
    const hash = createHash('sha256');
    for await (const _ of this.#bytes(signal, hash));
    this.#promised = hash.digest('hex');
    return this.#promised;
  }

  /** Yields when the file differs from the one that was last read. */
  watch(signal: AbortSignal): AsyncGenerator<void, void> {
    return watchFile(this.#file, signal, {
      since: this.#seen,
      onUnwatched: (error) => {
        this.#logger.debug(
          { file: this.#file, error },
          'folder cannot be watched; looking at the file instead',
        );
      },
    });
  }

  async *#bytes(
    signal: AbortSignal,
    hash: { update(chunk: Uint8Array): unknown },
  ): AsyncGenerator<Uint8Array, void> {
    signal.throwIfAborted();
    const { handle, signature } = await openCatalogueFile(this.#file, this.#shown);
    try {
      this.#seen = signature;
      for await (const chunk of readChunks(handle, signal)) {
        hash.update(chunk);
        yield chunk;
      }
    } finally {
      await handle.close();
    }
  }
}

interface OpenCatalogueFile {
  readonly handle: FileHandle;
  /** Signature of the opened file; see `signatureOf`. */
  readonly signature: string;
}

/**
 * Requires a regular file. Throws ERR_SOURCE_FILE_MISSING or ERR_SOURCE_FILE_UNREADABLE, whose messages name
 * the file as `shown`.
 */
async function openCatalogueFile(file: string, shown: string): Promise<OpenCatalogueFile> {
  let handle: FileHandle | undefined;
  try {
    // Check before opening, because opening a pipe would wait for its other end.
    requireRegular(await stat(file), shown);
    handle = await open(file, 'r');
    const stats = await handle.stat({ bigint: true });
    requireRegular(stats, shown);
    return { handle, signature: signatureOf(stats) };
  } catch (error) {
    await handle?.close();
    throw translate(error, shown);
  }
}

function requireRegular(stats: { isFile(): boolean; isDirectory(): boolean }, shown: string): void {
  if (!stats.isFile()) throw notAFile(shown, stats.isDirectory() ? 'a folder' : 'a device, pipe or socket');
}

function translate(error: unknown, shown: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code.startsWith('ERR_SOURCE_FILE_')) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return fileMissing(shown, error);
  return fileUnreadable(shown, code, error);
}
