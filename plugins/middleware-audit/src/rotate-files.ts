import type { BigIntStats } from 'node:fs';
import { lstat, rename } from 'node:fs/promises';

/**
 * Renames FILE to FILE.1, an older FILE.1 to FILE.2 and so on, at most so many;
 * the oldest is replaced when all numbers are taken. Files move only as far as
 * the first number that is free: after a process that ended half-way through
 * this, nothing is lost. What is already gone is no error.
 */
export async function rotateFiles(file: string, most: number): Promise<void> {
  const free = await firstFree(file, most);
  for (let number = free; number > 1; number -= 1) {
    await renameIfThere(`${file}.${number - 1}`, `${file}.${number}`);
  }
  await renameIfThere(file, `${file}.1`);
}

async function firstFree(file: string, most: number): Promise<number> {
  for (let number = 1; number < most; number += 1) {
    if (!(await isThere(`${file}.${number}`))) return number;
  }
  return most;
}

async function isThere(path: string): Promise<boolean> {
  return (await nameOf(path)) !== undefined;
}

/** Which file a name stands for now; undefined when for none. */
export async function nameOf(
  path: string,
): Promise<Pick<BigIntStats, 'ino' | 'dev' | 'mtimeMs'> | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
