import type { ConsentFacts } from './grant.ts';
import { AddressRanges, isPublicAddress, listEmbedded, readIpAddress } from '@portolan/outbound';

/** How far an address leads, by how it is written. */
export type Reach = 'public' | 'private' | 'link-local';

/** How far a name leads with the addresses behind it; one that does not resolve may lead anywhere. */
export type ResolvedReach = Reach | 'unresolved';

const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|intranet|corp)\.?$/i;

/** Names under which container engines and clouds reach the host or their metadata. */
const METADATA_NAMES = /^(?:metadata\.google\.internal|instance-data(?:\.ec2\.internal)?)\.?$/i;

let linkLocal: AddressRanges | undefined;

/** Returns how far a host name or an IP address leads. A name without a dot is private. */
export function reachOf(hostname: string): Reach {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const address = readIpAddress(bare);
  if (address === undefined) {
    if (METADATA_NAMES.test(bare)) return 'link-local';
    return LOCAL_NAMES.test(bare) || !bare.includes('.') ? 'private' : 'public';
  }
  linkLocal ??= new AddressRanges(['169.254.0.0/16', 'fe80::/10']);
  const ranges = linkLocal;
  if ([address, ...listEmbedded(address)].some((one) => ranges.has(one))) return 'link-local';
  return isPublicAddress(bare) ? 'public' : 'private';
}

/**
 * Returns how far a host leads: the nearest of its name and of the addresses behind
 * the name. A name that resolves to a private address is as private as the address.
 */
export function resolvedReachOf(
  hostname: string,
  { addressesOf }: Pick<ConsentFacts, 'addressesOf'>,
): ResolvedReach {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const addresses = readIpAddress(bare) === undefined ? addressesOf(bare) : [];
  const reaches = [bare, ...(addresses ?? [])].map(reachOf);
  const nearest = NEAREST_FIRST.find((reach) => reaches.includes(reach));
  return nearest ?? (addresses === undefined ? 'unresolved' : 'public');
}

const NEAREST_FIRST: readonly Reach[] = ['link-local', 'private'];

/** Returns the address without what may hold credentials: user, query and fragment. */
export function showAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.host === '') return text;
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
