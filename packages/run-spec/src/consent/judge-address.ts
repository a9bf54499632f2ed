import type { ConsentFacts } from './grant.ts';
import { AddressRanges, isPublicAddress, listEmbedded, readIpAddress } from '@portolan/outbound';

/** Reach of an address, by its spelling. */
export type Reach = 'public' | 'private' | 'link-local';

/** A name that does not resolve may lead anywhere. */
export type ResolvedReach = Reach | 'unresolved';

const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|intranet|corp)\.?$/i;

/** Engines and clouds expose the host or metadata services by these names. */
const METADATA_NAMES = /^(?:metadata\.google\.internal|instance-data(?:\.ec2\.internal)?)\.?$/i;

let linkLocal: AddressRanges | undefined;

/** A name without a dot is private. */
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

/** A name that resolves to a private address is private. */
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

/** Drops user, query and fragment, which may contain credentials. */
export function showAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.host === '') return text;
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
