import { isPublicAddress } from '@portolan/outbound';
import { isIP } from 'node:net';
import type { UserSettings } from '@portolan/run-spec';
import { registryAddressUnusable } from './lookup-errors.ts';
import { isThisMachine, readRegistryAddress } from '../connection/read-address.ts';

export interface AddressRules {
  readonly allowPrivate: boolean;
  /** Whether http is allowed, although others could modify responses in transit. */
  readonly allowHttp: boolean;
}

/**
 * Returns the rules for addresses. Allowing private addresses allows http too, because private registries
 * seldom have certificates.
 */
export function addressRulesOf(
  user: Pick<UserSettings, 'allowPrivateRegistryAddress' | 'allowHttpRegistry'>,
): AddressRules {
  const { allowPrivateRegistryAddress: allowPrivate, allowHttpRegistry } = user;
  return { allowPrivate, allowHttp: allowHttpRegistry || allowPrivate };
}

/**
 * Parses a registry URL without a trailing slash. Requires https unless http is allowed. Throws
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

/** Returns the part before `/v0.1` of a registry API. */
export function apiBaseOf(url: URL): URL {
  const base = new URL(url);
  base.search = '';
  base.pathname = base.pathname.replace(/\/+$/, '').replace(/\/v0(?:\.1)?(?:\/servers)?$/, '');
  return base;
}

/** Returns the address of an endpoint. The caller has escaped the segments. */
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

function isPrivate(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? isThisMachine(url) : !isPublicAddress(host);
}
