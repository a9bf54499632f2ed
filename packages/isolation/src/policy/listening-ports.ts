import { readFile } from 'node:fs/promises';
import { readIpAddress } from '@portolan/outbound';

/** Maximum number of this host's ports that the relay opens, with one socket each. */
const MAX_PORTS = 1000;
/** State of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A';

/**
 * Returns the TCP ports with a service of this host at the given address, in ascending order, at most 1,000.
 * Linux only; empty on other systems.
 */
export async function readListeningPorts(address: string): Promise<readonly number[]> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readTable(file)));
  const ports = new Set(tables.flatMap((text) => parseListeningPorts(text, address)));
  return [...ports].toSorted((one, other) => one - other).slice(0, MAX_PORTS);
}

/** Returns the ports of sockets that listen on the address, or on all addresses. */
export function parseListeningPorts(text: string, address: string): readonly number[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [host = '', port = ''] = local.split(':');
    if (state !== LISTEN || !(/^0+$/.test(host) || readHost(host) === address)) return [];
    return [Number.parseInt(port, 16)];
  });
}

/** Returns the IPv4 address of a hexadecimal word in machine byte order, including `::ffff:` addresses. */
function readHost(hex: string): string | undefined {
  const word = hex.length === 32 && hex.startsWith('0000000000000000FFFF0000') ? hex.slice(24) : hex;
  if (word.length !== 8) return undefined;
  const bytes = (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  return readIpAddress(bytes.toReversed().join('.'))?.text;
}

/** Reads a kernel table. Returns an empty text when there is none: without IPv6, or on other systems. */
async function readTable(file: string): Promise<string> {
  try {
    return await readFile(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
