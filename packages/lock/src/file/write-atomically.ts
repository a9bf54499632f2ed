import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces files atomically: a reader sees the old or the new text, even after a power failure. All texts are on
 * disk before the first rename, so that a full disk leaves every file unchanged. Everyone may read the files,
 * because users commit them.
 */
export async function writeAtomically(texts: ReadonlyMap<string, string>): Promise<void> {
  const written = new Map<string, string>();
  try {
    for (const [file, text] of texts) {
      const folder = path.dirname(file);
      const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
      await mkdir(folder, { recursive: true });
      written.set(file, temporary);
      await writeAndSync(temporary, text);
    }
    for (const [file, temporary] of written) await rename(temporary, file);
    for (const folder of new Set([...texts.keys()].map((file) => path.dirname(file))))
      await syncFolder(folder);
  } catch (error) {
    for (const temporary of written.values()) await rm(temporary, { force: true });
    throw error;
  }
}

async function writeAndSync(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes renames durable. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
