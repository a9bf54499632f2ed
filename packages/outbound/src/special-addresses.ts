import { AddressRanges, type IpAddress } from './ip-address.ts';

/**
 * Reach of a range. `none`: no other machine, or an unidentified one; nothing is ever sent there.
 * `network`: machines of the local network.
 */
type Scope = 'none' | 'network';

interface SpecialRange {
  readonly range: string;
  readonly reaches: Scope;
  readonly what: string;
  /**
   * Document that defines the range, from the registries of special-purpose addresses (RFC 6890, maintained
   * by IANA).
   */
  readonly source: string;
}

/**
 * All addresses that are not public. Globally reachable ranges within them (such as 192.0.0.9, RFC 7723)
 * serve no requests of Portolan, and stay forbidden.
 */
export const SPECIAL_RANGES: readonly SpecialRange[] = [
  { range: '0.0.0.0/8', reaches: 'none', what: 'this network', source: 'RFC 791, 3.2' },
  { range: '10.0.0.0/8', reaches: 'network', what: 'private use', source: 'RFC 1918' },
  { range: '100.64.0.0/10', reaches: 'network', what: 'shared address space', source: 'RFC 6598' },
  { range: '127.0.0.0/8', reaches: 'none', what: 'loopback', source: 'RFC 1122, 3.2.1.3' },
  { range: '169.254.0.0/16', reaches: 'none', what: 'link-local', source: 'RFC 3927' },
  { range: '172.16.0.0/12', reaches: 'network', what: 'private use', source: 'RFC 1918' },
  { range: '192.0.0.0/24', reaches: 'network', what: 'protocol assignments', source: 'RFC 6890, 2.1' },
  { range: '192.0.2.0/24', reaches: 'network', what: 'documentation', source: 'RFC 5737' },
  { range: '192.88.99.0/24', reaches: 'network', what: '6to4 relays, given up', source: 'RFC 7526' },
  { range: '192.168.0.0/16', reaches: 'network', what: 'private use', source: 'RFC 1918' },
  { range: '198.18.0.0/15', reaches: 'network', what: 'benchmarks', source: 'RFC 2544' },
  { range: '198.51.100.0/24', reaches: 'network', what: 'documentation', source: 'RFC 5737' },
  { range: '203.0.113.0/24', reaches: 'network', what: 'documentation', source: 'RFC 5737' },
  { range: '224.0.0.0/4', reaches: 'none', what: 'multicast', source: 'RFC 5771' },
  { range: '240.0.0.0/4', reaches: 'none', what: 'reserved, broadcast', source: 'RFC 1112, 4; RFC 8190' },
  // Includes the unspecified address and loopback.
  { range: '::/96', reaches: 'none', what: 'IPv4-compatible, given up', source: 'RFC 4291, 2.5' },
  { range: '64:ff9b:1::/48', reaches: 'network', what: 'local NAT64', source: 'RFC 8215' },
  { range: '100::/64', reaches: 'network', what: 'discard only', source: 'RFC 6666' },
  // Any relay forwards packets for these addresses to a client, whose address is in the last bits, inverted.
  { range: '2001::/32', reaches: 'none', what: 'Teredo', source: 'RFC 4380' },
  { range: '2001::/23', reaches: 'network', what: 'protocol assignments', source: 'RFC 2928' },
  { range: '2001:db8::/32', reaches: 'network', what: 'documentation', source: 'RFC 3849' },
  { range: '3fff::/20', reaches: 'network', what: 'documentation', source: 'RFC 9637' },
  { range: '5f00::/16', reaches: 'network', what: 'segment routing', source: 'RFC 9602' },
  { range: 'fc00::/7', reaches: 'network', what: 'unique local', source: 'RFC 4193' },
  { range: 'fe80::/10', reaches: 'none', what: 'link-local', source: 'RFC 4291, 2.5.6' },
  { range: 'fec0::/10', reaches: 'network', what: 'site-local, given up', source: 'RFC 3879' },
  { range: 'ff00::/8', reaches: 'none', what: 'multicast', source: 'RFC 4291, 2.7' },
];

/**
 * Returns whether no other machine has this address, so that nothing is ever sent to it. Embedded IPv4
 * addresses are not checked.
 */
export function isUnroutable(address: IpAddress): boolean {
  return rangesOf('none').has(address);
}

export function isSpecial(address: IpAddress): boolean {
  return rangesOf('none').has(address) || rangesOf('network').has(address);
}

/** Created on first use, because it would delay the start of commands. */
const made = new Map<Scope, AddressRanges>();

function rangesOf(reach: Scope): AddressRanges {
  const known = made.get(reach);
  if (known !== undefined) return known;
  const ranges = SPECIAL_RANGES.flatMap(({ range, reaches }) => (reaches === reach ? range : []));
  const list = new AddressRanges(ranges);
  made.set(reach, list);
  return list;
}
