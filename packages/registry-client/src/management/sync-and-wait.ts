import { memberOf, textOf } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { getResource, requestSync } from './admin-resources.ts';
import type { ServerClient } from './server-client.ts';
import { syncTimedOut } from './server-errors.ts';

export interface SyncWait {
  readonly full: boolean;
  readonly acceptRemovals?: boolean;
  /** Most time until the sync has ended. */
  readonly mostMs: number;
  /** Told the source whenever it was looked at. */
  readonly seen: (source: JsonObject) => void;
  /** Milliseconds that only grow. */
  readonly elapsed: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const SHORTEST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2000;

/**
 * Has a source read and waits until that has ended, well or not. One that is
 * being read already is waited for before, since what it reads may be older.
 * Throws ERR_REGISTRY_TIMEOUT, and what asking throws.
 */
export async function syncAndWait(client: ServerClient, name: string, wait: SyncWait): Promise<JsonObject> {
  const ends = wait.elapsed() + wait.mostMs;
  const before = await look(client, name, wait, ends, (source) => !isSyncing(source));
  await requestSync(client, name, wait);
  const last = lastSyncOf(before);
  return await look(client, name, wait, ends, (source) => !isSyncing(source) && lastSyncOf(source) !== last);
}

/** Whether a source is being read now. */
export function isSyncing(source: JsonObject): boolean {
  return textOf(memberOf(source, 'syncStatus'), 'phase') === 'syncing';
}

/** End of the most recent attempt, as the server tells it. */
function lastSyncOf(source: JsonObject): string | undefined {
  return textOf(memberOf(source, 'syncStatus'), 'lastSyncTime');
}

async function look(
  client: ServerClient,
  name: string,
  { seen, elapsed, pause, mostMs }: SyncWait,
  ends: number,
  isOver: (source: JsonObject) => boolean,
): Promise<JsonObject> {
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
    const { body } = await getResource(client, 'source', name);
    seen(body);
    if (isOver(body)) return body;
    if (elapsed() + pauseMs > ends) throw syncTimedOut(name, mostMs / 1000);
    await pause(pauseMs);
  }
}
