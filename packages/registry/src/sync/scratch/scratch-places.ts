import { join } from 'node:path';
import type { Store } from '../../store/open-store.ts';

/** Where sources keep what need not be fetched twice, and how much each may keep. */
export interface ScratchPlace {
  /** Absolute; made where it is not there. On a disk of this machine. */
  readonly directory: string;
  readonly mostBytes: number;
}

/** Beside the files of a source: whose they are now, and which definition they belong to. */
export const LOCK = 'lock';
export const DEFINITION = 'definition';
export const FILES = 'files';

/** The folder of all sources of one database: several servers may have their data in one directory. */
export async function scratchRootOf(store: Store, directory: string): Promise<string> {
  const { instance } = await store.reading
    .selectFrom('change')
    .select('instance')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return join(directory, instance.replaceAll(/[^\da-zA-Z-]/g, '_'));
}

/** By number and not by name: a name may be anything, and may come again for another source. */
export function scratchNameOf(sourceId: number): string {
  return `source-${sourceId}`;
}
