import { isJsonObject, type KeptSession } from '@portolan/plugin-api';

<<<<<<< HEAD
/** Returns undefined for content that Portolan did not write. */
export function readSession(match: unknown): KeptSession | undefined {
  const [session, revision]: readonly unknown[] = Array.isArray(match) ? match : [];
  const record = typeof session === 'string' ? parse(session) : undefined;
  if (!isJsonObject(record)) return undefined;
  const { path, owner } = record;
=======
/** Parses a session. Returns undefined for content that Portolan did not write. */
export function readSession(found: unknown): KeptSession | undefined {
  const [session, revision]: readonly unknown[] = Array.isArray(found) ? found : [];
  const kept = typeof session === 'string' ? parse(session) : undefined;
  if (!isJsonObject(kept)) return undefined;
  const { path, owner } = kept;
>>>>>>> f77733ec (plugins, packages: give fragments of comments their subjects)
  if (typeof path !== 'string' || (owner !== undefined && typeof owner !== 'string')) return undefined;
  return { path, owner, revision: typeof revision === 'string' ? revision : undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // another program wrote it
  }
}
