import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import { codeOf } from '@portolan/run-spec';
import { writeAtomically } from './write-atomically.ts';

/** Name of the file in the folder that policies of a workload keep. */
const FILE = 'tools.json';

/** Keeps the names of all tools that a server listed, before policies hid any. Throws ERR_STATE_INACCESSIBLE. */
export async function keepListedTools(folder: string, names: readonly string[]): Promise<void> {
  await writeAtomically(path.join(folder, FILE), `${JSON.stringify(names)}\n`);
}

/** Removes the names. */
export async function forgetListedTools(folder: string): Promise<void> {
  await rm(path.join(folder, FILE), { force: true });
}

/** Returns the names that were kept; undefined where none were. */
export async function readListedTools(folder: string): Promise<readonly string[] | undefined> {
  try {
    // SAFETY: only `keepListedTools` writes it, in one step.
    return JSON.parse(await readSmallFile(path.join(folder, FILE))) as readonly string[];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
