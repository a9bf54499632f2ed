import type { PluginContext } from '@portolan/plugin-api';

/**
 * Returns an `openFetch` whose fetch opens no connection but creates the response for each address; undefined
 * stands for 404. An aborted signal rejects.
 */
export function answeringFetch(
  response: (url: string) => Response | undefined | Promise<Response | undefined>,
): PluginContext['openFetch'] {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url, signal } = new Request(input, init);
    signal.throwIfAborted();
    return (await response(url)) ?? new Response('not found', { status: 404 });
  };
  return async () => ({ fetch, close: async () => undefined });
}
