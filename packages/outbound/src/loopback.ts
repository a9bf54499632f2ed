import { AddressRanges, readIpAddress } from './ip-address.ts';

/**
 * Addresses that `localhost` always has here, because a resolver could return others (RFC 6761, section 6.3).
 */
export const LOCALHOST = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const;

/** Tests the text of a URL's host: `localhost`, in 127.0.0.0/8, or `[::1]`. */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === 'localhost') return true;
  const address = readIpAddress(hostname);
  return (
    address !== undefined && (address.family === 4 ? address.text.startsWith('127.') : address.text === '::1')
  );
}

let loopback: AddressRanges | undefined;

/**
 * Returns whether a connection to an address stays on this machine. The unspecified addresses (`0.0.0.0`,
 * `::`) count as well.
 */
export function isLoopbackAddress(written: string): boolean {
  const address = readIpAddress(written);
  // created on first use, because many commands check no address
  loopback ??= new AddressRanges(['127.0.0.0/8', '0.0.0.0/8', '::1', '::']);
  return address !== undefined && loopback.has(address);
}
