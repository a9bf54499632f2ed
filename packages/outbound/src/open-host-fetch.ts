import type { OpenFetch } from '@portolan/plugin-api';
import { readHostProxies } from './host-proxies.ts';
import { openFetch } from './open-fetch-on-demand.ts';

/**
 * Returns the `fetch` for the operator's configured addresses: with the proxies in this machine's variables,
 * or the global one without any, since that one supports no proxies. Throws ERR_PROXY_INVALID.
 */
export async function openHostFetch(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenFetch> {
  if (readHostProxies(environment) === undefined)
    return { fetch: globalThis.fetch, close: () => Promise.resolve() };
  return await openFetch({ allowPrivateAddresses: true, environment });
}
