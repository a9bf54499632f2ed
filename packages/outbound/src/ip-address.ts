import { BlockList, isIP } from 'node:net';

/** IP address in canonical form: lower case, shortened, without zone and brackets, never IPv4-mapped. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly text: string;
}

/**
 * Parses dotted IPv4, or IPv6 with or without brackets. An IPv4-mapped one (RFC 4291, section 2.5.5.2) yields
 * the IPv4 address; a zone (`fe80::1%eth0`) is dropped. Undefined for other text.
 */
export function readIpAddress(written: string): IpAddress | undefined {
  const bare = written.replace(/^\[(.*)\]$/, '$1').split('%')[0] ?? '';
  switch (isIP(bare)) {
    case 4:
      return { family: 4, text: bare };
    case 6: {
      const words = wordsOf(bare);
      if (words.slice(0, 6).join(',') === MAPPED) return { family: 4, text: dotted(words[6], words[7]) };
      return { family: 6, text: canonical(bare) };
    }
    default:
      return undefined;
  }
}

/**
 * Returns IPv4 addresses that may receive packets to an IPv6 address: IPv4-compatible (RFC 4291), NAT64 (RFC
 * 6052, RFC 8215), 6to4 (RFC 3056) and Teredo (RFC 4380).
 */
export function listEmbedded({ family, text }: IpAddress): readonly IpAddress[] {
  if (family === 4) return [];
  const words = wordsOf(text);
  const [first = 0, second = 0] = words;
  const inside: string[] = [];
  const isCompatible = words.slice(0, 6).every((word) => word === 0);
  const isNat64 = first === 0x64 && second === 0xff9b;
  if (isCompatible || isNat64) inside.push(dotted(words[6], words[7]));
  if (first === 0x2002) inside.push(dotted(words[1], words[2]));
  if (first === 0x2001 && second === 0) {
    inside.push(dotted(words[2], words[3])); // the Teredo server, and the client, whose bits are inverted
    inside.push(dotted((words[6] ?? 0) ^ 0xffff, (words[7] ?? 0) ^ 0xffff));
  }
  return inside.map((address) => ({ family: 4, text: address }));
}

export class AddressRanges {
  readonly #list = new BlockList();

  /** Accepts `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. Throws a TypeError that names an invalid entry. */
  constructor(ranges: Iterable<string>) {
    for (const range of ranges) this.#add(range);
  }

  has({ family, text }: IpAddress): boolean {
    return this.#list.check(text, family === 4 ? 'ipv4' : 'ipv6');
  }

  #add(range: string): void {
    const [written = '', length, ...more] = range.split('/');
    const address = readIpAddress(written);
    if (address === undefined || more.length > 0) throw new TypeError(`"${range}" is not an address range`);
    const kind = address.family === 4 ? 'ipv4' : 'ipv6';
    if (length === undefined) {
      this.#list.addAddress(address.text, kind);
      return;
    }
    // The prefix length of an IPv4-mapped network includes its 96 leading bits.
    const skipped = address.family === 4 && written.includes(':') ? 96 : 0;
    const bits = /^\d{1,3}$/.test(length) ? Number(length) - skipped : -1;
    if (bits < 0 || bits > (kind === 'ipv4' ? 32 : 128))
      throw new TypeError(`"${range}" is not an address range`);
    this.#list.addSubnet(address.text, bits, kind);
  }
}

/** Returns the range of `10.0.0.0/8` or of a single address; undefined for other text. */
export function parseAddressRange(text: string): AddressRanges | undefined {
  try {
    return new AddressRanges([text]);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff].join(',');

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The URL parser converts every form to shortened hexadecimal words. */
function canonical(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
}

function wordsOf(ipv6: string): readonly number[] {
  const [head = '', tail] = canonical(ipv6).split('::');
  const before = toWords(head);
  if (tail === undefined) return before;
  const after = toWords(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function toWords(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}
