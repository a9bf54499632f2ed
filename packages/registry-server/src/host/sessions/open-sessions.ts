import { resolve } from 'node:path';
import { readSessionKeys, type Kernel } from '@portolan/kernel';
import { parseDuration } from '@portolan/plugin-api';
import { SessionRows, type Store } from '@portolan/registry';
import { sessionKeysUnusable } from '../host-errors.ts';
import { SealedSessions } from './sealed-sessions.ts';
import { Sealer } from './sealer.ts';

/** Opens the sessions of browsers. Undefined when no session keys are configured. Throws ERR_SESSION_KEYS. */
export async function openSessions(
  { config: { sessions }, directory, clock, logger }: Kernel,
  store: Store,
): Promise<SealedSessions | undefined> {
  const { keyFile, idle, lifetime } = sessions;
  if (keyFile === undefined) return undefined;
  const read = readSessionKeys(resolve(directory, keyFile));
  if ('fault' in read) throw sessionKeysUnusable(read.fault.found, read.fault.expected);
  const rows = new SessionRows(store, {
    idleMs: parseDuration(idle),
    lifetimeMs: parseDuration(lifetime),
  });
  await rows.removeEnded();
  return new SealedSessions(rows, new Sealer(read.keys), { clock, logger });
}
