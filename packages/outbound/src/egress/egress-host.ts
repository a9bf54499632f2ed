import type { IpAddress } from '../ip-address.ts';
import { readIpAddress } from '../ip-address.ts';

/** Normalized target: a lower-case name without a trailing dot, or an address. */
export type EgressHost =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string; readonly address: IpAddress };

export interface EgressTarget {
  readonly host: EgressHost;
  readonly port: number;
}

/**
 * Parses a host in any spelling of resolvers or URL parsers: decimal, octal, hexadecimal, shortened and
 * IPv4-mapped addresses become dotted quads, international names ASCII, and one trailing dot is removed.
 * Undefined for an invalid host.
 */
export function parseEgressHost(written: string): EgressHost | undefined {
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s/\\?#@:[\]]+)$/i.test(written)) return undefined;
  const parsed = URL.parse(`http://${written}/`);
  if (parsed === null) return undefined;
  const text = parsed.hostname.replace(/\.$/, '');
  const address = readIpAddress(text);
  if (address !== undefined) return { kind: 'address', text: address.text, address };
  return NAME.test(text) && text.length <= 253 && !NUMBER_LAST.test(text)
    ? { kind: 'name', text }
    : undefined;
}

const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Resolvers may parse a name whose last label is a number as an address (`inet_aton`). */
const NUMBER_LAST = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Parses the `host:port` of CONNECT (RFC 9110, section 9.3.6). The port is required. */
export function parseAuthority(authority: string): EgressTarget | undefined {
  const [, written, digits] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(authority) ?? [];
  if (written === undefined) return undefined;
  const host = parseEgressHost(written);
  const port = Number(digits);
  return host === undefined || !isPort(port) ? undefined : { host, port };
}

/** Puts IPv6 in brackets, for a URL or `host:port`. */
export function writeHost(host: EgressHost): string {
  return host.kind === 'address' && host.address.family === 6 ? `[${host.text}]` : host.text;
}

export function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}
