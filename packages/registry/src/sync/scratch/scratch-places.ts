import { join } from 'node:path';
import type { Store } from '../../store/open-store.ts';

/** Where sources cache what they need not fetch again, and the size limit of each. */
export interface ScratchPlace {
  /** Absolute path on a local disk. Created if it does not exist. */
  readonly directory: string;
  readonly maxBytes: number;
}

/** Names of files next to a source's files: the lock, and the definition they belong to. */
export const LOCK = 'lock';
export const DEFINITION = 'definition';
export const FILES = 'files';

/** Returns the folder for all sources of one database. Several servers may share a data directory. */
export async function scratchRootOf(store: Store, directory: string): Promise<string> {
  const { instance } = await store.reading
    .selectFrom('change')
    .select('instance')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return join(directory, instance.replaceAll(/[^\da-zA-Z-]/g, '_'));
}

/** Returns a folder name from the id, because source names may contain any character and may be reused. */
export function scratchNameOf(sourceId: number): string {
  return `source-${sourceId}`;
}
