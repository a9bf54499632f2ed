import type { OpenFetch, FetchOptions } from '@portolan/plugin-api';
import { readHostProxies } from './host-proxies.ts';
import type { AddressRules } from './address-rules.ts';

/**
 * Returns the `fetch` with the proxies in this machine's variables, or the global one, which supports none.
 * Throws ERR_PROXY_INVALID.
 */
export async function openHostFetch(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenFetch> {
  if (readHostProxies(environment) === undefined)
    return { fetch: globalThis.fetch, close: () => Promise.resolve() };
  return await openFetch({ allowPrivateAddresses: true, environment });
}

/** Loads `openFetch` on the first call, because most commands never need it. */
export async function openFetch(options: FetchOptions, rules?: Partial<AddressRules>): Promise<OpenFetch> {
  const { openFetch: open } = await import('./open-fetch.ts');
  return await open(options, rules);
}
