import { isIPv6 } from 'node:net';

export interface ListenAddress {
  /** Empty for all interfaces. IPv6 has no brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Parses HOST:PORT. `localhost` is 127.0.0.1, an empty host means all interfaces, IPv6 needs brackets.
 * Undefined for invalid text.
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]\s/@]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, inBrackets, plain, digits] = match;
  const port = Number(digits);
  if (port > 65535) return undefined;
  if (inBrackets !== undefined) return isIPv6(inBrackets) ? { host: inBrackets, port } : undefined;
  const host = plain ?? '';
  return { host: host.toLowerCase() === 'localhost' ? '127.0.0.1' : host, port };
}

export function addressesCollide(one: ListenAddress, other: ListenAddress): boolean {
  if (one.port === 0 || one.port !== other.port) return false;
  return one.host === other.host || coversAll(one.host) || coversAll(other.host);
}

function coversAll(host: string): boolean {
  return ['', '0.0.0.0', '::'].includes(host);
}
