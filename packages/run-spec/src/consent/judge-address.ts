import type { ConsentFacts } from './grant.ts';
import { AddressRanges, isPublicAddress, listEmbedded, readIpAddress } from '@portolan/outbound';

/** Kind of network that an address belongs to. */
export type Reach = 'public' | 'private' | 'link-local';

/** Kind of network after a DNS look-up. An unresolved name may lead to any network. */
export type ResolvedReach = Reach | 'unresolved';

const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|intranet|corp)\.?$/i;

/** Names under which container engines and clouds expose the host or metadata services. */
const METADATA_NAMES = /^(?:metadata\.google\.internal|instance-data(?:\.ec2\.internal)?)\.?$/i;

let linkLocal: AddressRanges | undefined;

/** Returns the kind of network of a host by its spelling. A name without a dot is private. */
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

/** Returns the kind of network of a host after a DNS look-up. A name with any private address is private. */
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

/** Returns an address without user, query and fragment, which may contain credentials. */
export function showAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.host === '') return text;
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
