import { type FileHandle, open, stat } from 'node:fs/promises';
import { fileMissing, fileUnreadable, notAFile } from './errors.ts';
import { signatureOf } from './file-signature.ts';

export interface OpenCatalogueFile {
  readonly handle: FileHandle;
  /** Signature of the opened file; see `signatureOf`. */
  readonly signature: string;
}

/**
 * Requires a regular file. Throws ERR_SOURCE_FILE_MISSING or ERR_SOURCE_FILE_UNREADABLE, whose messages name
 * the file as `shown`.
 */
export async function openCatalogueFile(file: string, shown: string): Promise<OpenCatalogueFile> {
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
