import { isJsonObject, type StoredSession } from '@portolan/plugin-api';

/** Parses a session. Returns undefined for content that Portolan did not write. */
export function readSession(match: unknown): StoredSession | undefined {
  const [session, revision]: readonly unknown[] = Array.isArray(match) ? match : [];
  const record = typeof session === 'string' ? parse(session) : undefined;
  if (!isJsonObject(record)) return undefined;
  const { path, owner } = record;
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
