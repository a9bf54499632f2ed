import { setTimeout as delay } from 'node:timers/promises';
import type { CurrentDefinitions } from '@portolan/lock';
import type { Supervision } from '../supervision.ts';
import { definitionsUnreadable } from './definitions-errors.ts';
import { readDefinitions } from './read-definitions.ts';

/** Milliseconds in which members of a running virtual server must become available. */
const MEMBERS_MS = 5000;
const RETRY_MS = 500;

/**
 * Reads the definitions like `readDefinitions`, those of a virtual server once every member is available: the lists of
 * others would be missing, and look removed. Throws ERR_DEFINITIONS_UNREADABLE when a member stays unavailable.
 */
export async function readWhenAvailable(work: Supervision, signal: AbortSignal): Promise<CurrentDefinitions> {
  const { order, config } = work;
  const endMs = performance.now() + (order.readsDefinitions === true ? order.startTimeoutMs : MEMBERS_MS);
  for (;;) {
    // A virtual server announces the capabilities of members that it knows, so that they count only afterwards.
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
