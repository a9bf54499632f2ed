import { setTimeout as delay } from 'node:timers/promises';
import type { CurrentDefinitions } from '@portolan/lock';
import type { Supervision } from '../supervision.ts';
import { definitionsUnreadable } from './definitions-errors.ts';
import { readDefinitions } from './read-definitions.ts';

/** Maximum milliseconds to wait for the members of a running virtual server. */
const MEMBERS_MS = 5000;
const RETRY_MS = 500;

/**
 * Reads the definitions like `readDefinitions`. For a virtual server, waits until every member is available, because
 * the tools of an unavailable member would look removed. Throws ERR_DEFINITIONS_UNREADABLE when a member stays
 * unavailable.
 */
export async function readWhenAvailable(work: Supervision, signal: AbortSignal): Promise<CurrentDefinitions> {
  const { order, config } = work;
  const endMs = performance.now() + (order.readsDefinitions === true ? order.startTimeoutMs : MEMBERS_MS);
  for (;;) {
    // A virtual server announces only capabilities of available members, so all must be available before the read, too.
    const wasComplete = work.server?.findUnavailable?.() === undefined;
    const definitions = await readDefinitions(work, signal);
    const member = work.server?.findUnavailable?.();
    if (member === undefined && wasComplete) return definitions;
    if (performance.now() >= endMs) {
      const why = member === undefined ? 'its members change' : `its member ${member} is unavailable`;
      throw definitionsUnreadable(config.name, why);
    }
    if (member !== undefined) await delay(RETRY_MS, undefined, { signal });
  }
}
