import { join } from 'node:path';
import type { Store } from '../../store/open-store.ts';

export interface ScratchPlace {
  /** Absolute, on a local disk. */
  readonly directory: string;
  readonly maxBytes: number;
}

/** Next to a source's files: the lock, and their definition. */
export const LOCK = 'lock';
export const DEFINITION = 'definition';
export const FILES = 'files';

/** Several servers may share a data directory. */
export async function scratchRootOf(store: Store, directory: string): Promise<string> {
  const { instance } = await store.reading
    .selectFrom('change')
    .select('instance')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return join(directory, instance.replaceAll(/[^\da-zA-Z-]/g, '_'));
}

/** Source names may contain any character and may be reused. */
export function scratchNameOf(sourceId: number): string {
  return `source-${sourceId}`;
}
