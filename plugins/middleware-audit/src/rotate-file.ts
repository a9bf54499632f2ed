import { lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Distinguishes two files that one process renames within a millisecond. */
let sequence = 0;

/**
 * Renames to FILE.TIME-PID-NUMBER and keeps at most `maxFiles`. Names never collide, so several processes
 * need no lock. Another process may have renamed the file in the meantime.
 */
export async function rotateFile(file: string, maxFiles: number): Promise<void> {
  sequence += 1;
  const time = new Date().toISOString().replaceAll(/[-:]/g, '');
  try {
    await rename(file, `${file}.${time}-${process.pid}-${sequence}`);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await removeOldest(file, maxFiles);
}

async function removeOldest(file: string, maxFiles: number): Promise<void> {
  const renamed = await listRenamedFiles(file);
  for (const name of renamed.slice(0, Math.max(renamed.length - maxFiles, 0))) {
    await rm(name, { force: true }); // another process may have removed the file
  }
}

/** Returns the paths of the files that were renamed from `file`, oldest first. */
export async function listRenamedFiles(file: string): Promise<readonly string[]> {
  const prefix = `${path.basename(file)}.`;
  const renamed: { readonly name: string; readonly key: string }[] = [];
  for (const name of await readdir(path.dirname(file))) {
    const parts = name.startsWith(prefix) ? RENAMED.exec(name.slice(prefix.length)) : null;
    if (parts === null) continue;
    const [, time, pid = '', number = ''] = parts;
    renamed.push({ name, key: `${time}-${pid.padStart(10, '0')}-${number.padStart(16, '0')}` });
  }
  return renamed
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ name }) => path.join(path.dirname(file), name));
}

const RENAMED = /^(\d{8}T\d{6}\.\d{3}Z)-(\d+)-(\d+)$/;

/** Returns device and inode, without following links. */
export async function identifyFile(
  name: string,
): Promise<{ readonly dev: bigint; readonly ino: bigint } | undefined> {
  try {
    return await lstat(name, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
