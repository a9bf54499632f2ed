import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { ForwardedRequest } from '../request/forwarded-request.ts';
import { HOST } from './request-target.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** What the proxies on the way report about the request, the nearest proxy last. */
interface ForwardedFields {
  readonly addresses: readonly (string | undefined)[];
  readonly schemes: readonly (string | undefined)[];
  readonly hosts: readonly (string | undefined)[];
  readonly ports: readonly (string | undefined)[];
  readonly prefixes: readonly (string | undefined)[];
}

const PREFIX = /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)+\/?$/;

/**
 * Reads `X-Forwarded-For`, `-Proto`, `-Host`, `-Port` and `-Prefix`, or `Forwarded` (RFC 7239), from trusted
 * proxies. The list of senders is read from its end up to the first untrusted one, which may have forged
 * everything before. A proxy writes one kind and passes the other on unchanged, so neither counts when both
 * are present.
 */
export function readForwarded(
  peer: string,
  headers: IncomingHttpHeaders,
  proxies: TrustedProxies,
): ForwardedRequest | undefined {
  if (proxies.isEmpty || !proxies.includes(peer)) return undefined;
  const report = toldBy(headers);
  if (report === undefined) return undefined;
  const { address, hops } = senderOf(peer, report.addresses, proxies);
  const by = (values: readonly (string | undefined)[]) => values[Math.max(0, values.length - hops)];
  const scheme = schemeOf(by(report.schemes));
  return {
    address,
    scheme,
    host: hostOf(by(report.hosts), by(report.ports), scheme),
    prefix: prefixOf(by(report.prefixes)),
  };
}

function toldBy(headers: IncomingHttpHeaders): ForwardedFields | undefined {
  const [addresses, schemes, hosts, ports, prefixes] = ['for', 'proto', 'host', 'port', 'prefix'].map(
    (name) => listOf(headers[`x-forwarded-${name}`]),
  );
  const { forwarded } = headers;
  const hasOwn = [addresses, schemes, hosts, ports, prefixes].some((list) => list !== undefined);
  if (hasOwn === (forwarded !== undefined)) return undefined;
  if (forwarded !== undefined) return elementsOf(forwarded);
  return {
    addresses: addresses ?? [],
    schemes: schemes ?? [],
    hosts: hosts ?? [],
    ports: ports ?? [],
    prefixes: prefixes ?? [],
  };
}

function listOf(header: string | string[] | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined;
  return [header]
    .flat()
    .join(',')
    .split(',')
    .map((part) => part.trim());
}

/** The second quote is empty when the string is unterminated. */
const QUOTED = /"(?:\\.|[^"\\])*("?)/g;
const ELEMENT = /(?:"(?:\\.|[^"\\])*"|[^",])+/g;
const PAIR = /(?<![a-z])([a-z]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;",]+))/gi;

/**
 * Parses a `Forwarded` header (RFC 7239, section 4). Stops after an unterminated quote, which bounds the
 * work.
 */
function elementsOf(text: string): ForwardedFields {
  const open = [...text.matchAll(QUOTED)].find(([, end]) => end === '')?.index ?? text.length;
  const parts = [text.slice(0, open), text.slice(open).replaceAll('"', ',')];
  const elements = parts
    .flatMap((part) => part.match(ELEMENT) ?? [])
    .map((element) => {
      const pairs = [...element.matchAll(PAIR)];
      return new Map(pairs.map(([, name = '', quoted, bare = '']) => [name.toLowerCase(), quoted ?? bare]));
    });
  const all = (name: string) => elements.map((element) => element.get(name));
  return { addresses: all('for'), schemes: all('proto'), hosts: all('host'), ports: [], prefixes: [] };
}

/** Returns the address of the sender and the number of trusted proxies between it and this server. */
function senderOf(peer: string, addresses: ForwardedFields['addresses'], proxies: TrustedProxies) {
  let sender = peer;
  let hops = 0;
  while (proxies.includes(sender)) {
    hops += 1;
    const before = addressIn(addresses[addresses.length - hops]);
    if (before === undefined) break;
    sender = before;
  }
  return { address: sender, hops };
}

/** Returns the address in `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function addressIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? undefined : bare;
}

function schemeOf(text: string | undefined): ForwardedRequest['scheme'] {
  const scheme = text?.toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}

function hostOf(
  host: string | undefined,
  port: string | undefined,
  scheme: ForwardedRequest['scheme'],
): string | undefined {
  if (host === undefined || !HOST.test(host)) return undefined;
  const usual = scheme === 'https' ? '443' : '80';
  const hasPort = /:\d+$/.test(host.replace(/^\[.*\]/, ''));
  const isPort = port !== undefined && /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
  return hasPort || !isPort || port === usual ? host : `${host}:${port}`;
}

function prefixOf(text: string | undefined): string {
  return text === undefined || !PREFIX.test(text) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(text)
    ? ''
    : text.replace(/\/$/, '');
}
