import { isPortolanError, type OpenFetch } from '@portolan/plugin-api';
import type { LookupContext } from './lookup-context.ts';
import {
  registryAddressPrivate,
  registryAddressUnusable,
  registryAnswerTooLarge,
  registryAnswerUnusable,
  registryTimedOut,
  registryUnreachable,
} from './lookup-errors.ts';

export interface RegistryReply {
  readonly status: number;
  /** Of the body, without parameters; empty when none is said. */
  readonly contentType: string;
  readonly body: Buffer;
}

export interface ReplyLimits {
  /** Most time for one answer, its body and its redirects included. */
  readonly timeoutMs: number;
  readonly bytes: number;
}

/** For one page, or one entry, of the registry API. */
export const PAGE_LIMITS: ReplyLimits = { timeoutMs: 10_000, bytes: 10 * 1024 * 1024 };
/** For a whole catalogue in one file. */
export const FILE_LIMITS: ReplyLimits = { timeoutMs: 60_000, bytes: 64 * 1024 * 1024 };

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Asks one registry over HTTP. Addresses that are not public are refused where
 * the connection is made, unless they are allowed; a redirect is followed by
 * the same rules, never from https to http, and takes the token to no other
 * origin.
 */
export class RegistryConnection {
  readonly #context: Pick<LookupContext, 'environment' | 'openFetch' | 'version'>;
  readonly #allowPrivate: boolean;
  readonly #token: string | undefined;
  #opening: Promise<OpenFetch> | undefined;

  constructor(
    context: Pick<LookupContext, 'environment' | 'openFetch' | 'version'>,
    { allowPrivate, token }: { readonly allowPrivate: boolean; readonly token: string | undefined },
  ) {
    this.#context = context;
    this.#allowPrivate = allowPrivate;
    this.#token = token;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /**
   * The answer, whatever its status. Throws ERR_LOOKUP_UNREACHABLE,
   * ERR_LOOKUP_TIMEOUT, ERR_LOOKUP_PRIVATE_ADDRESS, ERR_LOOKUP_ADDRESS for a
   * redirect that is not followed, ERR_LOOKUP_TOO_LARGE, and the reason of the
   * signal.
   */
  async get(url: URL, limits: ReplyLimits, signal?: AbortSignal): Promise<RegistryReply> {
    signal?.throwIfAborted();
    const clock = AbortSignal.timeout(limits.timeoutMs);
    const ends = signal === undefined ? clock : AbortSignal.any([signal, clock]);
    let hop = url;
    try {
      for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
        const response = await this.#fetch(hop, hop.origin === url.origin, ends);
        if (!REDIRECTS.includes(response.status)) return await readReply(shown(url), response, limits);
        await response.body?.cancel();
        hop = this.#follow(hop, response.headers.get('Location'));
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (clock.aborted) throw registryTimedOut(shown(url), limits.timeoutMs / 1000);
      throw translate(url, hop, error);
    }
    throw registryAnswerUnusable(shown(url), `it redirects more than ${MOST_REDIRECTS} times`);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await (await opening)?.close();
  }

  async #fetch(url: URL, isOwnOrigin: boolean, signal: AbortSignal): Promise<Response> {
    this.#opening ??= this.#context.openFetch({
      allowPrivateAddresses: this.#allowPrivate,
      environment: this.#context.environment,
    });
    const { fetch } = await this.#opening;
    return await fetch(url.href, {
      redirect: 'manual',
      signal,
      headers: {
        Accept: 'application/json',
        'User-Agent': `portolan/${this.#context.version}`,
        ...(this.#token === undefined || !isOwnOrigin ? {} : { Authorization: `Bearer ${this.#token}` }),
      },
    });
  }

  #follow(from: URL, location: string | null): URL {
    const to = location === null ? null : URL.parse(location, from.href);
    if (to === null) throw registryAnswerUnusable(shown(from), 'a redirect that leads nowhere');
    if (
      to.protocol === 'https:' ||
      (to.protocol === 'http:' && from.protocol === 'http:' && this.#allowPrivate)
    ) {
      return to;
    }
    const hint = 'Name the address that it redirects to, when that is the registry.';
    throw registryAddressUnusable(
      shown(from),
      `it redirects to ${to.protocol}//${to.host}, expected https:`,
      hint,
    );
  }
}

async function readReply(
  address: string,
  { status, headers, body }: Response,
  { bytes }: ReplyLimits,
): Promise<RegistryReply> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > bytes) throw registryAnswerTooLarge(address, `${bytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  const contentType = (headers.get('Content-Type') ?? '').split(';', 1)[0]?.trim() ?? '';
  return { status, contentType, body: Buffer.concat(chunks) };
}

/** A query may hold a key. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

function translate(url: URL, hop: URL, error: unknown): unknown {
  if (isPortolanError(error)) {
    return error.code === 'ERR_ADDRESS_FORBIDDEN'
      ? registryAddressPrivate(shown(url), hop.href !== url.href, error)
      : error;
  }
  return registryUnreachable(shown(url), error);
}
