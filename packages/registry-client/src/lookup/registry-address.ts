import { isPublicAddress } from '@portolan/outbound';
import { isIP } from 'node:net';
import type { UserSettings } from '@portolan/run-spec';
import { registryAddressUnusable } from './lookup-errors.ts';
import { isThisMachine, readRegistryAddress } from '../connection/read-address.ts';

/** Rules for registry addresses. */
export interface AddressRules {
  /** Allows private addresses. */
  readonly allowPrivate: boolean;
  /** Allows http, where responses could be modified in transit. */
  readonly allowHttp: boolean;
}

/** Allowing private addresses includes http, because such registries seldom have certificates. */
export function addressRulesOf(
  user: Pick<UserSettings, 'allowPrivateRegistryAddress' | 'allowHttpRegistry'>,
): AddressRules {
  const { allowPrivateRegistryAddress: allowPrivate, allowHttpRegistry } = user;
  return { allowPrivate, allowHttp: allowHttpRegistry || allowPrivate };
}

/**
 * Parses a registry URL and removes a trailing slash. Requires https unless http is allowed. Throws
 * ERR_LOOKUP_ADDRESS, without user name, password and query.
 */
export function parseRegistryUrl(text: string, { allowHttp }: Pick<AddressRules, 'allowHttp'>): URL {
  const example = 'Write it like https://registry.acme.example/registry/main.';
  const { url, fault } = readRegistryAddress(text);
  if (fault === 'no-url') throw registryAddressUnusable('named', 'it is no URL', example);
  const shown = `${url.protocol}//${url.host}${url.pathname}`;
  if (fault === 'protocol') {
    throw registryAddressUnusable(shown, `it begins with ${url.protocol}, expected https:`, example);
  }
  if (fault === 'login') {
    const hint = 'Leave them out, and name a file with a token in PORTOLAN_REGISTRY_TOKEN_FILE.';
    throw registryAddressUnusable(shown, 'the URL holds a user name or password', hint);
  }
  if (url.protocol === 'http:' && !allowHttp) {
    const flag = isPrivate(url) ? '--allow-private-ip' : '--allow-http';
    const hint = `Use https, or allow it with \`portolan config set-registry ${flag}\`.`;
    throw registryAddressUnusable(shown, 'what it answers could be changed on its way', hint);
  }
  url.hash = '';
  return url;
}

/**
 * Returns the base of a registry API: the part before `/v0.1`. Accepts URLs that end with the version or the
 * list of servers.
 */
export function apiBaseOf(url: URL): URL {
  const base = new URL(url);
  base.search = '';
  base.pathname = base.pathname.replace(/\/+$/, '').replace(/\/v0(?:\.1)?(?:\/servers)?$/, '');
  return base;
}

/** Returns an address below the base; the caller escapes segments. */
export function apiAddress(
  base: URL,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, '')}/v0.1/${path}`;
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Returns whether an address is private, as far as its text shows. */
function isPrivate(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? isThisMachine(url) : !isPublicAddress(host);
}
