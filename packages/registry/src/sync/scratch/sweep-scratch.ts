import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeScratchLock } from './scratch-lock.ts';
import { LOCK, scratchNameOf, scratchRootOf } from './scratch-locations.ts';
import type { SyncContext } from '../synced-source.ts';

/** Removes folders of deleted sources. A folder that is in use stays until the next call. Never throws. */
export async function sweepScratch({
  store,
  scratch,
  logger,
}: Pick<SyncContext, 'store' | 'scratch' | 'logger'>): Promise<void> {
  if (scratch === undefined) return;
  try {
    const root = await scratchRootOf(store, scratch.directory);
    const match = await readdir(root).catch(() => []); // no source has used one yet
    if (match.length === 0) return;
    const sources = await store.reading.selectFrom('source').select('id').execute();
    const requested = new Set(sources.map(({ id }) => scratchNameOf(id)));
    for (const name of match) if (!requested.has(name)) await remove(join(root, name));
  } catch (error) {
    logger.warn({ err: error }, 'cannot remove folders of deleted sources');
  }
}

async function remove(folder: string): Promise<void> {
  const unlock = await takeScratchLock(join(folder, LOCK));
  if (unlock === undefined) return;
  try {
    await rm(folder, { recursive: true, force: true });
  } finally {
    unlock();
  }
}
