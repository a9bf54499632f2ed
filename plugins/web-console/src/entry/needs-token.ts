import type { ApiRequest } from '@portolan/plugin-api';
import { listPath } from '../responses/entry-addresses.ts';
import { ForAMinute } from '../responses/for-a-minute.ts';
import type { ShownEntry } from './shown-entry.ts';

/**
 * Cache of whether registries require a token, by name. Each check adds to the access log and the audit log.
 */
const CLOSED = new Map<string, ForAMinute<boolean>>();

/** Returns whether reading the entry requires a token, so that the command line must log in first. */
export async function needsToken({
  view: { visitor, request, parts },
  registry,
  apiPath,
}: Pick<ShownEntry, 'view' | 'registry' | 'apiPath'>): Promise<boolean> {
  // The visitor has read the entry without a token.
  if (visitor.authorization === undefined) return false;
  const statusOf = async (apiRequest: ApiRequest) => (await request.api(apiRequest, undefined)).status;
  const closed = CLOSED.get(registry) ?? new ForAMinute<boolean>();
  CLOSED.set(registry, closed);
  const isClosed = await closed.find(parts, async () => {
    const status = await statusOf({ path: listPath(registry, 'server'), query: { limit: '1' } });
    return status === 200 ? false : status < 500 ? true : undefined;
  });
  // A public registry shows some entries only to callers with a token.
  return isClosed !== false || (await statusOf({ path: apiPath })) !== 200;
}
