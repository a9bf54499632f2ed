import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import { readServerSettings } from '../registry-entry/read-server-settings.ts';
import { previewEntryDemands } from './entry-demands.ts';
import type { Grant, Refusal } from './grant.ts';

export interface EntryDemands {
  readonly grants: readonly Pick<Grant, 'kind' | 'line'>[];
  /** Settings of the entry that `run` refuses. */
  readonly refusals: readonly Refusal[];
}

/**
 * Returns the grants and refusals of a run without flags on a typical machine. Returns empty lists for an
 * entry that cannot run.
 */
export function describeEntryDemands(published: JsonObject): EntryDemands {
  try {
    const { grants, refusals } = previewEntryDemands(readServerSettings(published));
    return { grants: grants.map(({ kind, line }) => ({ kind, line })), refusals };
  } catch (error) {
    // The caller that parses the entry reports the reason.
    if (isPortolanError(error)) return { grants: [], refusals: [] };
    throw error;
  }
}
