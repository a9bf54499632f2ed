import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import { codeOf } from '@portolan/run-spec';
import { writeAtomically } from './write-atomically.ts';

const FILE = 'tools.json';

/**
 * Stores the names of all tools that a server has, as they were before policies filtered the list. Throws
 * ERR_STATE_INACCESSIBLE.
 */
export async function keepListedTools(folder: string, names: readonly string[]): Promise<void> {
  await writeAtomically(path.join(folder, FILE), `${JSON.stringify(names)}\n`);
}

export async function forgetListedTools(folder: string): Promise<void> {
  await rm(path.join(folder, FILE), { force: true });
}

export async function readListedTools(folder: string): Promise<readonly string[] | undefined> {
  try {
    // SAFETY: only `keepListedTools` writes the file, atomically.
    return JSON.parse(await readSmallFile(path.join(folder, FILE))) as readonly string[];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
