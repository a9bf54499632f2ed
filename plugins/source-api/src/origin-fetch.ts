import type { OpenFetch, PluginContext } from '@portolan/plugin-api';

/**
 * Only the configured origin is requested with the fetch of the context and gets the headers. The operator of
 * the registry decides where it redirects to, so other origins are requested over connections to public
 * addresses only.
 */
export class OriginFetch {
  readonly #origin: string;
  readonly #context: Pick<PluginContext, 'fetch' | 'openFetch'>;
  readonly #headers: Readonly<Record<string, string>>;
  #others: Promise<OpenFetch> | undefined;

  constructor(
    endpoint: URL,
    context: Pick<PluginContext, 'fetch' | 'openFetch'>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#origin = endpoint.origin;
    this.#context = context;
    this.#headers = headers;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (origin === this.#origin) {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value);
      return await this.#context.fetch(input, { ...init, headers });
    }
    this.#others ??= this.#context.openFetch({ allowPrivateAddresses: false });
    const { fetch } = await this.#others;
    return await fetch(input, init);
  };

  /** Closes the connections. Safe to call twice; the object stays usable. */
  async close(): Promise<void> {
    const opened = this.#others;
    this.#others = undefined;
    await (await opened?.catch(() => undefined))?.close();
  }
}
