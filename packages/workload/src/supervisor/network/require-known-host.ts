import { lookup as systemLookup } from 'node:dns/promises';
import { codeOf } from '@portolan/run-spec';
import { remoteHostUnknown } from '../supervise-errors.ts';

/**
 * Sees that the host of a URL has an address. Only the answer that there is no
 * such name is an error, ERR_REMOTE_HOST: whatever else goes wrong may pass.
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
