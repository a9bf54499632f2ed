import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject, readSmallFile } from '@portolan/plugin-api';
import { codeOf } from '@portolan/run-spec';
import type { Directories } from './directories.ts';
import { writeAtomically } from './write-atomically.ts';

const FILE = 'entry.json';

/** Maximum size in bytes of a stored registry entry with its definitions. */
const MAX_ENTRY_BYTES = 32 * 1024 * 1024;

/**
 * Stores the registry entry of a workload. Its definitions are the baseline while the workload has no lock. Removes an
 * earlier entry if `entry` is undefined. Throws ERR_STATE_INACCESSIBLE.
 */
export async function keepEntryDefinitions(
  name: string,
  entry: JsonObject | undefined,
  { policies }: Pick<Directories, 'policies'>,
): Promise<void> {
  const file = path.join(policies, name, FILE);
  if (entry === undefined) await rm(file, { force: true });
  else await writeAtomically(file, `${JSON.stringify(entry)}\n`);
}

/** Returns the stored entry of a workload; undefined if it has none with definitions. */
export async function readEntryDefinitions(
  name: string,
  { policies }: Pick<Directories, 'policies'>,
): Promise<JsonObject | undefined> {
  try {
    const text = await readSmallFile(path.join(policies, name, FILE), { maxBytes: MAX_ENTRY_BYTES });
    const entry: unknown = JSON.parse(text);
    return isJsonObject(entry) ? entry : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
