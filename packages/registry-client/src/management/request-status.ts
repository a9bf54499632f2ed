import { memberOf } from '@portolan/entry-format';
import { serverAnswerUnusable } from './server-errors.ts';
import { type EntryAddress, pathOfEntry, pathOfVersion } from './entry-path.ts';
import type { ServerClient } from './server-client.ts';

export interface StatusRequest {
  readonly version: string | undefined;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly message: string | undefined;
  /** Name of the managed source; undefined leaves the choice to the server. */
  readonly source: string | undefined;
}

/**
 * Changes the status of one version or all (MCP registry protocol, status). Returns how many were changed.
 */
export async function requestStatus(
  client: ServerClient,
  entry: EntryAddress,
  { version, status, message, source }: StatusRequest,
): Promise<number> {
  const path = `${version === undefined ? pathOfEntry(entry) : pathOfVersion(entry, version)}/status`;
  const body = { status, statusMessage: message };
  const { body: response } = await client.ask({ method: 'PATCH', path, query: { source }, body });
  if (version !== undefined) return 1;
  const updated = memberOf(response, 'updatedCount');
  if (typeof updated !== 'number') throw serverAnswerUnusable(`PATCH ${path}`, 'JSON without "updatedCount"');
  return updated;
}
