import type { PluginContext } from '@portolan/plugin-api';

/**
 * An `openFetch` for contexts of tests whose fetch asks nobody: each address is
 * answered by the function, with 404 where it answers undefined. An aborted
 * signal is heeded as the real one does.
 */
export function answeringFetch(
  answer: (url: string) => Response | undefined | Promise<Response | undefined>,
): PluginContext['openFetch'] {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url, signal } = new Request(input, init);
    signal.throwIfAborted();
    return (await answer(url)) ?? new Response('not found', { status: 404 });
  };
  return async () => ({ fetch, close: async () => undefined });
}
