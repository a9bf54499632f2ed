import { memberOf, textOf } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { getResource, requestSync } from './admin-resources.ts';
import type { ServerClient } from './server-client.ts';
import { syncTimedOut } from './server-errors.ts';

export interface SyncWait {
  readonly full: boolean;
  readonly acceptRemovals?: boolean;
  readonly maxMs: number;
  readonly seen: (source: JsonObject) => void;
  readonly elapsed: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const SHORTEST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2000;

/**
 * Requests a sync and waits for its end, successful or not. If a sync is already running, waits for that one
 * first, because it may read older content. Throws ERR_REGISTRY_TIMEOUT, and request errors.
 */
export async function syncAndWait(client: ServerClient, name: string, wait: SyncWait): Promise<JsonObject> {
  const ends = wait.elapsed() + wait.maxMs;
  const before = await look(client, name, wait, ends, (source) => !isSyncing(source));
  await requestSync(client, name, wait);
  const last = lastSyncOf(before);
  return await look(client, name, wait, ends, (source) => !isSyncing(source) && lastSyncOf(source) !== last);
}

export function isSyncing(source: JsonObject): boolean {
  return textOf(memberOf(source, 'syncStatus'), 'phase') === 'syncing';
}

/** Returns the end of the most recent attempt. */
function lastSyncOf(source: JsonObject): string | undefined {
  return textOf(memberOf(source, 'syncStatus'), 'lastSyncTime');
}

async function look(
  client: ServerClient,
  name: string,
  { seen, elapsed, pause, maxMs }: SyncWait,
  ends: number,
  isOver: (source: JsonObject) => boolean,
): Promise<JsonObject> {
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
    const { body } = await getResource(client, 'source', name);
    seen(body);
    if (isOver(body)) return body;
    if (elapsed() + pauseMs > ends) throw syncTimedOut(name, maxMs / 1000);
    await pause(pauseMs);
  }
}
