import type { OpenFetch } from '@portolan/plugin-api';
import { readHostProxies } from './host-proxies.ts';
import { openFetch } from './open-fetch-on-demand.ts';

/**
 * The `fetch` for what the operator has configured: through the proxies that the
 * variables of this machine name, and the global one where they name none, since
 * that one knows no proxies. Throws ERR_PROXY_INVALID.
 */
export async function openHostFetch(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenFetch> {
  if (readHostProxies(environment) === undefined)
    return { fetch: globalThis.fetch, close: () => Promise.resolve() };
  return await openFetch({ allowPrivateAddresses: true, environment });
}
