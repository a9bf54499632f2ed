import type { OpenFetch, PluginContext } from '@portolan/plugin-api';

/**
 * A fetch that trusts one origin, the configured one: only that is asked by the
 * fetch of the context, and only that gets the headers. Where the registry
 * redirects to, whoever runs it decides, so that every other origin is asked
 * with connections that reach public addresses alone.
 */
export class OriginFetch {
  readonly #origin: string;
  readonly #context: Pick<PluginContext, 'fetch' | 'openFetch'>;
  #others: Promise<OpenFetch> | undefined;

  constructor(endpoint: URL, context: Pick<PluginContext, 'fetch' | 'openFetch'>) {
    this.#origin = endpoint.origin;
    this.#context = context;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (origin === this.#origin) return await this.#context.fetch(input, init);
    this.#others ??= this.#context.openFetch({ allowPrivateAddresses: false });
    const { fetch } = await this.#others;
    return await fetch(input, init);
  };

  /** Closes connections to other origins. Safe to call twice, and to be used again. */
  async close(): Promise<void> {
    const opened = this.#others;
    this.#others = undefined;
    await (await opened?.catch(() => undefined))?.close();
  }
}
