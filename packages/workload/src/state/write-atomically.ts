import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { stateInaccessible } from './state-errors.ts';
import { makeFolders } from './make-folders.ts';

export interface FileText {
  readonly file: string;
  readonly text: string | Uint8Array;
}

/**
 * Replaces a file atomically: readers see the old or the new content, even after a power failure. Creates the
 * folder. By default, only the owner may read the file. Throws ERR_STATE_INACCESSIBLE, and then the file is
 * unchanged.
 */
export async function writeAtomically(
  file: string,
  text: string | Uint8Array,
  folderMode = 0o700,
  fileMode = 0o600,
): Promise<void> {
  await writeTogether([{ file, text }], folderMode, fileMode);
}

/**
 * Replaces several files. All texts are on disk before the first rename, so a full disk leaves every file
 * unchanged. Throws ERR_STATE_INACCESSIBLE.
 */
export async function writeTogether(
  texts: readonly FileText[],
  folderMode = 0o700,
  fileMode = 0o600,
): Promise<void> {
  const written: { readonly file: string; readonly temporary: string }[] = [];
  let current = '';
  try {
    for (const { file, text } of texts) {
      current = file;
      const folder = path.dirname(file);
      const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
      await makeFolders(folder, folderMode);
      written.push({ file, temporary });
      await writeAndSync(temporary, text, fileMode);
    }
    for (const { file, temporary } of written) {
      current = file;
      await rename(temporary, file);
    }
    for (const folder of new Set(texts.map(({ file }) => path.dirname(file)))) await syncFolder(folder);
  } catch (error) {
    for (const { temporary } of written) await rm(temporary, { force: true });
    throw stateInaccessible(current, 'write', error);
  }
}

async function writeAndSync(file: string, text: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    if (mode !== 0o600) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the rename durable. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
