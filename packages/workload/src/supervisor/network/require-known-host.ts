import { lookup as systemLookup } from 'node:dns/promises';
import { codeOf } from '@portolan/run-spec';
import { remoteHostUnknown } from '../supervise-errors.ts';

/**
 * Throws ERR_REMOTE_HOST when DNS says that the host does not exist. Ignores all other failures, because they
 * may be temporary.
 */
export async function requireKnownHost(
  { hostname }: URL,
  lookup: (hostname: string) => Promise<unknown> = systemLookup,
): Promise<void> {
  try {
    await lookup(hostname.replace(/^\[|\]$/g, ''));
  } catch (error) {
    if (codeOf(error) === 'ENOTFOUND') throw remoteHostUnknown(hostname, error);
  }
}
