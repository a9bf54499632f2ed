import { BlockList, isIP } from 'node:net';
import { proxyInvalid } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a target; undefined where it is connected to directly. */
export type FindProxy = (target: URL) => URL | undefined;

/**
 * Reads the proxy variables as most programs do: `https_proxy` for https,
 * `http_proxy` for http, `all_proxy` for both, `no_proxy` for what goes past
 * them, lower case before upper case. This machine itself is never behind a
 * proxy. Undefined when none is named. Throws ERR_PROXY_INVALID for what is no
 * HTTP proxy.
 */
export function readHostProxies(environment: Environment): FindProxy | undefined {
  const secure = findProxy(environment, ['https_proxy', 'all_proxy']);
  const plain = findProxy(environment, ['http_proxy', 'all_proxy']);
  if (secure === undefined && plain === undefined) return undefined;
  const isExempt = readExemptions(environment['no_proxy'] || environment['NO_PROXY'] || '');
  return (target) => (isExempt(target) ? undefined : target.protocol === 'https:' ? secure : plain);
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

/** As curl and others read it: `*`, names that stand for their subdomains too, addresses, ranges, `:port`. */
function readExemptions(list: string): (target: URL) => boolean {
  const named = list.split(/[\s,]+/).filter((entry) => entry !== '');
  const all = [...LOOPBACK, ...named.map((entry) => entry.toLowerCase())].map(readExemption);
  return (target) => all.some((test) => test(hostOf(target), portOf(target)));
}

type Exemption = (host: string, port: number) => boolean;

function readExemption(entry: string): Exemption {
  if (entry === '*') return () => true;
  const range = readRange(entry);
  if (range !== undefined) return (host) => isIP(host) !== 0 && range.check(host, familyOf(host));
  const [, written = '', digits] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const wanted = written
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  if (wanted === '') return () => false;
  const port = digits === undefined ? undefined : Number(digits);
  return (host, asked) => (port === undefined || port === asked) && isWithin(host, wanted);
}

function isWithin(host: string, wanted: string): boolean {
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

/** `10.0.0.0/8`, and an address alone; undefined for anything else. */
function readRange(entry: string): BlockList | undefined {
  const [address = '', prefix, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return undefined;
  const most = family === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : Number(prefix);
  if (!/^\d+$/.test(prefix ?? '0') || bits > most) return undefined;
  const range = new BlockList();
  range.addSubnet(address, bits, familyOf(address));
  return range;
}

/** A proxy would take these for itself. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.0/8', '::1'];

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
