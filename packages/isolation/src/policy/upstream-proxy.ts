import {
  type EgressHost,
  type EgressTarget,
  AddressRanges,
  isPort,
  parseEgressHost,
} from '@portolan/outbound';
import { upstreamProxyInvalid } from '../errors.ts';

/** The HTTP proxies that the host itself has to use. */
export interface UpstreamProxies {
  /** For tunnels. */
  readonly secure: URL | undefined;
  /** For plain HTTP. */
  readonly plain: URL | undefined;
  /** Whether a target is reached without a proxy. */
  readonly isExempt: (target: EgressTarget) => boolean;
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, lower case
 * before upper case. Throws ERR_UPSTREAM_PROXY for what is no HTTP proxy; the
 * URL, which may hold a password, is in no message.
 */
export function readUpstreamProxies(
  environment: Readonly<Record<string, string | undefined>>,
): UpstreamProxies {
  const find = (...names: readonly string[]): URL | undefined => {
    for (const name of names.flatMap((one) => [one, one.toUpperCase()])) {
      const value = environment[name];
      if (value !== undefined && value !== '') return readProxyUrl(name, value);
    }
    return undefined;
  };
  return {
    secure: find('https_proxy', 'all_proxy'),
    plain: find('http_proxy', 'all_proxy'),
    isExempt: readExemptions(environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''),
  };
}

function readProxyUrl(variable: string, value: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw upstreamProxyInvalid(variable);
  return url;
}

/** `NO_PROXY` as curl and others read it: `*`, names that stand for their subdomains too, addresses, ranges, `:port`. */
function readExemptions(list: string): (target: EgressTarget) => boolean {
  const tests = list.split(/[\s,]+/).flatMap((entry) => (entry === '' ? [] : [readExemption(entry)]));
  return (target) => tests.some((test) => test(target));
}

function readExemption(entry: string): (target: EgressTarget) => boolean {
  if (entry === '*') return () => true;
  const range = readRange(entry);
  if (range !== undefined) return ({ host }) => host.kind === 'address' && range.has(host.address);
  const [, written = '', digits] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const wanted = parseEgressHost(written.replace(/^\*?\./, ''));
  if (wanted === undefined) return () => false;
  const port = digits !== undefined && isPort(Number(digits)) ? Number(digits) : undefined;
  return (target) => (port === undefined || port === target.port) && isWithin(target.host, wanted);
}

function readRange(entry: string): AddressRanges | undefined {
  try {
    return new AddressRanges([entry]);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isWithin(host: EgressHost, wanted: EgressHost): boolean {
  return host.text === wanted.text || (host.kind === 'name' && host.text.endsWith(`.${wanted.text}`));
}

/** `Proxy-Authorization` for a proxy whose URL has a user; undefined when it has none. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
