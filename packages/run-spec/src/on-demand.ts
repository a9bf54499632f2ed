import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import type { Grant, Refusal } from './consent/grant.ts';
import type { ServerSettings } from './registry-entry/server-settings.ts';

/**
 * See `registry-entry/read-server-settings.ts`, which is loaded by the first call: what it reads documents with
 * is large, and few commands look at a registry.
 */
export async function readServerSettings(published: JsonObject): Promise<ServerSettings> {
  const reader = await import('./registry-entry/read-server-settings.ts');
  return reader.readServerSettings(published);
}

/** Demands of an entry, as people see them before they run it. */
export interface EntryDemands {
  /** What `run` asks for. */
  readonly grants: readonly Pick<Grant, 'kind' | 'line'>[];
  /** Settings with which `run` refuses the entry. */
  readonly refusals: readonly Refusal[];
}

/** Returns what an entry asks for in a run without flags on a typical machine; nothing for an entry that cannot be run. */
export async function describeEntryDemands(published: JsonObject): Promise<EntryDemands> {
  const { previewEntryDemands } = await import('./consent/entry-demands.ts');
  try {
    const { grants, refusals } = previewEntryDemands(await readServerSettings(published));
    return { grants: grants.map(({ kind, line }) => ({ kind, line })), refusals };
  } catch (error) {
    // The command that reads the entry reports the reason.
    if (isPortolanError(error)) return { grants: [], refusals: [] };
    throw error;
  }
}
