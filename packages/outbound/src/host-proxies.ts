import { isIP } from 'node:net';
import { proxyInvalid } from './errors.ts';
import { parseAddressRange, readIpAddress } from './ip-address.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for a target; undefined for a direct connection. */
export type FindProxy = (target: URL) => URL | undefined;

/**
 * Reads `https_proxy`, `http_proxy`, `all_proxy` (for both) and `no_proxy`, lower case first. Loopback never
 * uses a proxy. Throws ERR_PROXY_INVALID.
 */
export function readHostProxies(environment: Environment): FindProxy | undefined {
  const secure = findProxy(environment, ['https_proxy', 'all_proxy']);
  const plain = findProxy(environment, ['http_proxy', 'all_proxy']);
  if (secure === undefined && plain === undefined) return undefined;
  const isExempt = readNoProxy(`${LOOPBACK},${environment['no_proxy'] || environment['NO_PROXY'] || ''}`);
  return (target) =>
    isExempt(hostOf(target), portOf(target)) ? undefined : target.protocol === 'https:' ? secure : plain;
}

function findProxy(environment: Environment, names: readonly string[]): URL | undefined {
  for (const name of names.flatMap((one) => [one, one.toUpperCase()])) {
    const value = environment[name];
    if (value === undefined || value === '') continue;
    const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
    if (url === null || !['http:', 'https:'].includes(url.protocol)) throw proxyInvalid(name);
    return url;
  }
  return undefined;
}

type Exemption = (host: string, port: number) => boolean;

/**
 * Parses a `NO_PROXY` list like curl: `*`, names including their subdomains, addresses, ranges, `:port`. The
 * function takes a host without brackets and a port.
 */
export function readNoProxy(list: string): Exemption {
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  const exemptions = entries.map((entry) => readExemption(entry.toLowerCase()));
  return (host, port) => exemptions.some((isExempt) => isExempt(host, port));
}

function readExemption(entry: string): Exemption {
  if (entry === '*') return () => true;
  const range = parseAddressRange(entry);
  if (range !== undefined) {
    return (host) => {
      const address = readIpAddress(host);
      return address !== undefined && range.has(address);
    };
  }
  const [, written = '', digits] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const requested = written
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  if (requested === '') return () => false;
  const port = digits === undefined ? undefined : Number(digits);
  return (host, requestedPort) => (port === undefined || port === requestedPort) && isWithin(host, requested);
}

function isWithin(host: string, target: string): boolean {
  return host === target || (isIP(host) === 0 && host.endsWith(`.${target}`));
}

/** Loopback hosts, which never use a proxy: the proxy would connect to its own machine. */
const LOOPBACK = 'localhost,127.0.0.0/8,::1';

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
