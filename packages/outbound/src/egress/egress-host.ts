import type { IpAddress } from '../ip-address.ts';
import { readIpAddress } from '../ip-address.ts';

/** Where a program wants to go, in one writing: a name in lower case without a dot at its end, or an address. */
export type EgressHost =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string; readonly address: IpAddress };

/** A host and a port, as in `CONNECT api.acme.example:443` or in a URL. */
export interface EgressTarget {
  readonly host: EgressHost;
  readonly port: number;
}

/**
 * Reads a host in any spelling that a resolver or a URL parser would accept:
 * decimal, octal, hexadecimal and shortened IPv4 become dotted quads, mapped
 * IPv6 the IPv4 address inside, international names their ASCII form, one dot
 * at the end goes. Undefined for what is no host.
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

/** Resolvers may read a name whose last label is a number as an address (`inet_aton`); the URL parser has done so. */
const NUMBER_LAST = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** Reads the `host:port` of a CONNECT request (RFC 9110, 9.3.6). The port may not be left out. */
export function parseAuthority(authority: string): EgressTarget | undefined {
  const [, written, digits] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(authority) ?? [];
  if (written === undefined) return undefined;
  const host = parseEgressHost(written);
  const port = Number(digits);
  return host === undefined || !isPort(port) ? undefined : { host, port };
}

/** The host as it stands in a URL or in `host:port`: IPv6 in brackets. */
export function writeHost(host: EgressHost): string {
  return host.kind === 'address' && host.address.family === 6 ? `[${host.text}]` : host.text;
}

/** Whether a number is a TCP port that can be connected to. */
export function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}
