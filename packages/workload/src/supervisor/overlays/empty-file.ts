import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { emptyFileUnusable } from './overlays-errors.ts';

const NAME = 'empty';

/**
 * Returns the path of an empty, read-only file to mount over hidden files. The folder must belong to this
 * user alone. Throws ERR_IGNORE_FILE.
 */
export async function provideEmptyFile(folder: string, uid = process.getuid?.()): Promise<string> {
  const file = path.join(folder, NAME);
  const flags = constants.O_RDONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    const handle = await open(file, flags, 0o444);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw emptyFileUnusable(file, 'it is not a regular file');
      if (uid !== undefined && stats.uid !== uid) throw emptyFileUnusable(file, 'it belongs to another user');
      if (stats.size > 0) throw emptyFileUnusable(file, 'it is not empty');
      await handle.chmod(0o444); // set the permissions explicitly, whatever the umask of the process is
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ELOOP') throw emptyFileUnusable(file, 'it is a link', error);
    if (code === 'EACCES' || code === 'EISDIR')
      throw emptyFileUnusable(file, `it cannot be opened (${code})`, error);
    throw error;
  }
  return file;
}
