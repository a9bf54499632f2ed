import { isIP } from 'node:net';
import type { FetchOptions, FindRoute } from '@portolan/plugin-api';
import { type AddressRules, lookUpOpen, refusalOf, USUAL } from './address-rules.ts';
import { readHostProxies } from './host-proxies.ts';
import { LOCALHOST } from './loopback.ts';

/**
 * Implements `PluginContext.findRoute` without restrictions: resolves nothing, and uses the proxies of
 * `environment` for `http` and `https`. Rejects with ERR_PROXY_INVALID.
 */
export function findAnyRoute(environment: NonNullable<FetchOptions['environment']>): FindRoute {
  return async ({ scheme, host, port }) => {
    const proxies = /^https?$/.test(scheme) ? readHostProxies(environment) : undefined;
    const proxy = proxies?.(new URL(`${scheme}://${hostnameOf(host)}:${port}/`));
    if (proxy !== undefined) return { proxy };
    return host === 'localhost' ? { addresses: LOCALHOST.map(({ address }) => address) } : {};
  };
}

/**
 * Implements `PluginContext.findRoute` with restrictions: direct connections to allowed hosts and addresses.
 * Uses no proxies, which would resolve names out of this process's sight.
 */
export function findOpenRoute(
  { allowPrivateAddresses }: Pick<FetchOptions, 'allowPrivateAddresses'>,
  input: Partial<AddressRules> = {},
): FindRoute {
  const rules = { ...USUAL, ...input, ...(allowPrivateAddresses ? { isPublic: () => true } : {}) };
  return async ({ host }) => {
    const { hostname } = new URL(`http://${hostnameOf(host)}/`);
    const refusal = refusalOf(hostname, rules);
    if (refusal !== undefined) throw refusal;
    const bare = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(bare) !== 0) return { addresses: [bare] };
    return { addresses: (await lookUpOpen(hostname, rules)).map(({ address }) => address) };
  };
}

function hostnameOf(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
