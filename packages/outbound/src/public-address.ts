import { BlockList, isIP } from 'node:net';

/**
 * Whether an IP address is one of the public internet. Private, loopback,
 * link-local, shared (RFC 6598), documentation, benchmark, multicast and
 * reserved addresses are not, nor are those that lead to one of them: mapped
 * (RFC 4291), NAT64 (RFC 6052) and 6to4 (RFC 3056) addresses are as public as
 * the IPv4 address inside. What is no IP address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? ''; // a zone, as in fe80::1%eth0
  switch (isIP(bare)) {
    case 4:
      return !SPECIAL_IPV4.check(bare, 'ipv4');
    case 6:
      return isPublicIpv6(bare);
    default:
      return false;
  }
}

/** From the registry of special-purpose addresses (RFC 6890), with multicast and what is reserved. */
const SPECIAL_IPV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]);

/** Only this part of IPv6 is given out; loopback, unique local, link-local and multicast lie outside it. */
const GLOBAL_IPV6 = blockList('ipv6', [['2000::', 3]]);

const SPECIAL_IPV6 = blockList('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo hides its IPv4 address, the others lead nowhere
  ['2001:db8::', 32],
  ['3fff::', 20],
]);

function isPublicIpv6(address: string): boolean {
  const words = wordsOf(address);
  const inside = ipv4Inside(words);
  if (inside !== undefined) return isPublicAddress(inside);
  // Written out again: BlockList looks mapped addresses up among IPv4 rules.
  const written = words.map((word) => word.toString(16)).join(':');
  return GLOBAL_IPV6.check(written, 'ipv6') && !SPECIAL_IPV6.check(written, 'ipv6');
}

/** The IPv4 address that packets to such an address are sent on to, if there is one. */
function ipv4Inside(words: readonly number[]): string | undefined {
  const prefix = words.slice(0, 6).join(',');
  if (prefix === MAPPED || prefix === NAT64) return dotted(words[6], words[7]);
  return words[0] === 0x2002 ? dotted(words[1], words[2]) : undefined;
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff].join(',');
const NAT64 = [0x64, 0xff9b, 0, 0, 0, 0].join(',');

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight words of an address that is known to be IPv6. */
function wordsOf(address: string): readonly number[] {
  // The URL parser writes every form, also with dotted IPv4 at its end, in hexadecimal words.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = written.split('::');
  const before = toWords(head);
  if (tail === undefined) return before;
  const after = toWords(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function toWords(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}

function blockList(family: 'ipv4' | 'ipv6', networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}
