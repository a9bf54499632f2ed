import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';

/**
 * Returns every address and CIDR range of this machine, on Linux with the routing tables:
 * `os.networkInterfaces()` omits links without a carrier, such as an idle bridge.
 */
export async function readHostAddresses(): Promise<readonly string[]> {
  const ofInterfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const [ipv4, ipv6] = await Promise.all([
    readTable('/proc/net/fib_trie', parseFibTrie),
    readTable('/proc/net/ipv6_route', parseIpv6Routes),
  ]);
  return [...new Set([...ofInterfaces.map(({ address }) => address), ...ipv4, ...ipv6])];
}

/**
 * Reads a routing table; empty when there is no such file: on other systems, or without IPv6 in the kernel.
 */
async function readTable(
  file: string,
  parse: (text: string) => readonly string[],
): Promise<readonly string[]> {
  try {
    return parse(await readFile(file, 'latin1'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Parses the `host LOCAL` ranges of `/proc/net/fib_trie`: `|-- 172.17.0.1` followed by `/32 host LOCAL`. */
export function parseFibTrie(text: string): readonly string[] {
  const matches: string[] = [];
  let prefix: string | undefined;
  for (const line of text.split('\n')) {
    const address = /(?:\|--|\+--) (\d+\.\d+\.\d+\.\d+)/.exec(line)?.[1];
    if (address !== undefined) prefix = address;
    const length = /^\s*\/(\d+) \w+ LOCAL/.exec(line)?.[1];
    if (length !== undefined && prefix !== undefined) matches.push(`${prefix}/${length}`);
  }
  return matches;
}

/** Parses the local routes of `/proc/net/ipv6_route` (flags RTF_LOCAL, RTF_ANYCAST). */
export function parseIpv6Routes(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    const [destination = '', length = '', flags = ''] = [columns[0], columns[1], columns[8]];
    if (!/^[0-9a-f]{32}$/.test(destination) || (Number.parseInt(flags, 16) & LOCAL_OR_ANYCAST) === 0)
      return [];
    const words = destination.match(/.{4}/g) ?? [];
    return [`${words.join(':')}/${Number.parseInt(length, 16)}`];
  });
}

const LOCAL_OR_ANYCAST = 0x8000_0000 | 0x0010_0000;
