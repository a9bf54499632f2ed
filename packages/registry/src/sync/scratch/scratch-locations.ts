import { join } from 'node:path';
import type { Store } from '../../store/open-store.ts';

export interface ScratchLocation {
  /** Absolute path of a folder on a local disk. */
  readonly directory: string;
  readonly maxBytes: number;
}

/** Name of the lock file next to a source's files. */
export const LOCK = 'lock';
export const DEFINITION = 'definition';
export const FILES = 'files';

/** Returns the folder for this database's sources, because several servers may share a data directory. */
export async function scratchRootOf(store: Store, directory: string): Promise<string> {
  const { instance } = await store.reading
    .selectFrom('change')
    .select('instance')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return join(directory, instance.replaceAll(/[^\da-zA-Z-]/g, '_'));
}

/**
 * Returns the name of a source's folder. Built from the id, because source names may contain any character
 * and may be reused.
 */
export function scratchNameOf(sourceId: number): string {
  return `source-${sourceId}`;
}
