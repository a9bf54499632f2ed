import {
  tooManyRedirects,
  urlNotModified,
  urlRedirect,
  urlStatus,
  urlTimeout,
  urlUnreachable,
} from './errors.ts';
import { isPortolanError } from '@portolan/plugin-api';
import type { CatalogueUrl } from './parse-catalogue-url.ts';

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What a server gave to ask with later (RFC 9110, 8.8). */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface FetchCatalogueOptions<Result> {
  readonly fetch: typeof globalThis.fetch;
  /** Most time for everything, redirects and body included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Of what is known already; then the request is conditional. */
  readonly validators?: Validators | undefined;
  /** Takes the document; time and signal still count while it runs. */
  accept(document: {
    readonly body: AsyncIterable<Uint8Array>;
    readonly validators: Validators;
  }): Promise<Result>;
}

/**
 * Gets the document behind a URL and hands it to `accept`, whose answer it
 * returns; undefined when the server confirmed that it has not changed. Follows
 * at most five redirects, each to http or https and never from https to http;
 * the credentials go to the first origin only. Throws errors whose messages
 * name no host, path or query; the signal's reason when it aborts.
 */
export async function fetchCatalogue<Result>(
  target: CatalogueUrl,
  options: FetchCatalogueOptions<Result>,
): Promise<Result | undefined> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), options.timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout.signal]);
  try {
    const response = await followRedirects(target, options, signal);
    if (response.status === 304 && options.validators !== undefined) {
      await response.body?.cancel();
      return undefined;
    }
    await requireOk(response);
    const validators = validatorsOf(response.headers);
    return await options.accept({ body: response.body ?? emptyBody(), validators });
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.signal.aborted) throw urlTimeout(options.timeoutMs, error);
    if (isPortolanError(error)) throw error;
    throw urlUnreachable(reasonOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

async function followRedirects(
  target: CatalogueUrl,
  options: Pick<FetchCatalogueOptions<unknown>, 'fetch' | 'validators'>,
  signal: AbortSignal,
): Promise<Response> {
  let url = target.url;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const authorization = url.origin === target.url.origin ? target.authorization : undefined;
    const headers = headersOf(authorization, options.validators);
    const response = await options.fetch(url, { redirect: 'manual', headers, signal });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    url = nextUrl(url, response.headers.get('location'));
  }
  throw tooManyRedirects(MOST_REDIRECTS);
}

function headersOf(authorization: string | undefined, validators: Validators | undefined): Headers {
  const headers = new Headers({ accept: 'application/json, */*;q=0.1', 'user-agent': 'portolan' });
  if (authorization !== undefined) headers.set('authorization', authorization);
  if (validators?.etag !== undefined) headers.set('if-none-match', validators.etag);
  if (validators?.lastModified !== undefined) headers.set('if-modified-since', validators.lastModified);
  return headers;
}

function nextUrl(from: URL, location: string | null): URL {
  if (location === null) throw urlRedirect('without saying where to');
  const url = URL.parse(location, from.href);
  if (url === null) throw urlRedirect('to something that is no address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw urlRedirect(`to an address that begins with ${url.protocol}`);
  if (from.protocol === 'https:' && url.protocol === 'http:') throw urlRedirect('from https to http');
  url.username = '';
  url.password = '';
  return url;
}

async function requireOk(response: Response): Promise<void> {
  if (response.status === 200) return;
  await response.body?.cancel();
  throw response.status === 304 ? urlNotModified() : urlStatus(response.status);
}

function validatorsOf(headers: Headers): Validators {
  return { etag: headers.get('etag') ?? undefined, lastModified: headers.get('last-modified') ?? undefined };
}

async function* emptyBody(): AsyncGenerator<Uint8Array, void> {
  // A fetch answers a bodiless 200 with null.
}

/** The innermost system code of a failed fetch, such as ECONNREFUSED: its messages name hosts and addresses. */
function reasonOf(error: unknown): string {
  let found = 'the connection failed';
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') found = at.code;
  }
  return found;
}
