import { isIP } from 'node:net';
import { askDocument, type DocumentResponse, faultIn, isPublicAddress, reasonIn } from '@portolan/outbound';
import { type FetchOptions, isJsonObject, type JsonObject, type OpenFetch } from '@portolan/plugin-api';
import { discoveryFailed } from '../errors.ts';
import { findAddressFault } from './find-address-fault.ts';

export interface OauthWebOptions {
  /** Addresses that the user named; their hosts may be private. */
  readonly named: readonly (string | undefined)[];
  readonly openFetch: (options: FetchOptions) => Promise<OpenFetch>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Maximum bytes of a document. */
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;

const MAX_BYTES_EVER = 2 * MAX_BYTES;

/**
 * HTTP client for logins. Connects to private addresses only if the user named them, follows no redirects,
 * and limits documents to 1 MiB and 10 s.
 */
export class OauthWeb {
  readonly #guarded: OpenFetch;
  readonly #open: OpenFetch;
  readonly #unreachable = new Map<string, string>();
  readonly #named: ReadonlySet<string>;

  static async open({ named, openFetch, environment }: OauthWebOptions): Promise<OauthWeb> {
    const [guarded, open] = await Promise.all([
      openFetch({ environment, allowPrivateAddresses: false }),
      openFetch({ environment, allowPrivateAddresses: true }),
    ]);
    const hosts = named.flatMap((text) => (text === undefined ? [] : (URL.parse(text)?.hostname ?? [])));
    return new OauthWeb(guarded, open, new Set(hosts));
  }

  private constructor(guarded: OpenFetch, open: OpenFetch, named: ReadonlySet<string>) {
    this.#guarded = guarded;
    this.#open = open;
    this.#named = named;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { fetch } = this.#named.has(url.hostname) ? this.#open : this.#guarded;
    return await boundedFetch(fetch)(input, init);
  };

  /** Returns a response of any status with its body. Throws FetchError and the reason of the signal. */
  async ask(
    url: URL,
    init: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    },
    signal: AbortSignal,
  ): Promise<DocumentResponse> {
    return await askDocument(url, {
      ...init,
      fetch: this.fetch,
      timeoutMs: TIMEOUT_MS,
      signal,
      maxBytes: MAX_BYTES,
    });
  }

  /**
   * Returns the JSON object at an address, if there is one. Throws ERR_LOGIN_DISCOVERY for an unusable
   * address, and the reason of the signal.
   */
  async document(address: string, what: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const fault = findAddressFault(address);
    if (fault !== undefined) throw discoveryFailed(`the address of ${what} ${fault}`);
    const url = new URL(address);
    let response: DocumentResponse;
    try {
      response = await this.ask(url, { method: 'GET', headers: { accept: 'application/json' } }, signal);
    } catch (error) {
      signal.throwIfAborted();
      const kind = faultIn(error)?.kind;
      if (kind === 'address' || kind === 'size') {
        const why = kind === 'size' ? 'it is longer than 1 MiB' : reasonIn(error).replace(/\.$/, '');
        throw discoveryFailed(`${what} at ${url.origin}${url.pathname} was not fetched: ${why}`, error);
      }
      this.#unreachable.set(url.origin, reasonIn(error).replace(/\.$/, ''));
      return undefined;
    }
    if (response.status !== 200) return undefined;
    try {
      const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(response.bytes));
      return isJsonObject(document) ? document : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns why the server of an address is unreachable; undefined for a server that responded. */
  findOutage(address: string): string | undefined {
    return this.#unreachable.get(new URL(address).origin);
  }

  /**
   * Returns why the user must not be sent to a page. A browser follows any address, so private ones are
   * allowed only if the user named the host.
   */
  findPageFault(text: unknown): string | undefined {
    const fault = findAddressFault(text);
    if (fault !== undefined) return fault;
    const { hostname } = new URL(String(text));
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const isOpen = isIP(host) === 0 ? !isLocalName(host) : isPublicAddress(host);
    return isOpen || this.#named.has(hostname)
      ? undefined
      : `is at ${hostname}, which is not public, and which nobody has named`;
  }

  async close(): Promise<void> {
    await Promise.all([this.#guarded.close(), this.#open.close()]);
  }
}

/**
 * Returns whether a name is local by definition (RFC 6761, section 6.3; RFC 6762; RFC 8375). Resolves
 * nothing, because a browser would resolve again.
 */
function isLocalName(hostname: string): boolean {
  return /^(?:[^.]+|.+\.(?:localhost|local|internal|home\.arpa))\.?$/.test(hostname);
}

/** Limits a `fetch` to 10 s and 2 MiB without redirects, for libraries without limits. */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const signal = init?.signal ?? AbortSignal.timeout(TIMEOUT_MS);
    return limited(await fetch(input, { ...init, redirect: 'manual', signal }));
  };
}

function limited(response: Response): Response {
  if (response.body === null) return response;
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.length;
      if (size > MAX_BYTES_EVER) controller.error(new RangeError('a response is longer than 2 MiB'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
