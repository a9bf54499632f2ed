import { isPortolanError, resolveReference } from '@portolan/plugin-api';
import { FetchError } from './fetch-error.ts';

export interface Question {
  /** `fetch` for the request, usually from `openFetch`, which restricts the addresses. */
  readonly fetch: typeof globalThis.fetch;
  readonly fetchElsewhere?: typeof globalThis.fetch;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly authorize?: ((address: URL) => string | undefined) | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Rules for following redirects. Undefined: a redirect is returned like any response. */
  readonly redirects?: RedirectRules;
}

export interface RedirectRules {
  readonly max: number;
  readonly refuse: (from: URL, to: URL) => string | undefined;
}

export interface AddressResponse {
  readonly address: URL;
  readonly status: number;
  readonly headers: Headers;
  /** Body of the response. If the caller does not read it, it is cancelled. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Requests an address and passes the response of any status to `accept`. Follows redirects of GET and HEAD by
 * `redirects`. Never sends a name and password from an address. Throws FetchError, the reason of the signal, and
 * `PortolanError`s unchanged.
 */
export async function askAddress<Result>(
  address: URL,
  question: Question,
  accept: (response: AddressResponse) => Promise<Result>,
): Promise<Result> {
  const { timeoutMs, signal } = question;
  signal?.throwIfAborted();
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), timeoutMs);
  const ends = signal === undefined ? clock.signal : AbortSignal.any([signal, clock.signal]);
  let phase: 'connection' | 'body' = 'connection';
  try {
    const { response, url } = await follow(address, question, ends);
    phase = 'body';
    const { status, headers, body } = response;
    try {
      return await accept({ address: url, status, headers, body: body ?? nothing() });
    } finally {
      // A body that broke needs no cancellation.
      if (body?.locked === false) await body.cancel().catch(() => undefined);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (clock.signal.aborted) throw new FetchError({ kind: 'time' });
    if (cause instanceof FetchError || isPortolanError(cause)) throw cause;
    throw new FetchError({ kind: phase, cause });
  } finally {
    clearTimeout(timer);
  }
}

interface Followed {
  readonly response: Response;
  readonly url: URL;
}

async function follow(address: URL, question: Question, signal: AbortSignal): Promise<Followed> {
  const { method = 'GET', redirects } = question;
  const most = method === 'GET' || method === 'HEAD' ? redirects?.max : 0;
  let url = withoutLogin(address);
  for (let followed = 0; ; followed += 1) {
    const response = await send(url, question, url.origin === address.origin, signal).catch(
      (error: unknown) => {
        throw forbidden(error, followed > 0) ?? error;
      },
    );
    if (redirects === undefined || !REDIRECTS.has(response.status)) return { response, url };
    await response.body?.cancel();
    if (followed === most) throw new FetchError({ kind: 'redirects' });
    url = nextOf(url, response.headers.get('location'), redirects);
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function send(
  url: URL,
  { fetch, fetchElsewhere = fetch, method = 'GET', headers, body, authorize }: Question,
  isFirstOrigin: boolean,
  signal: AbortSignal,
): Promise<Response> {
  const authorization = isFirstOrigin ? authorize?.(url) : undefined;
  const sendBy = isFirstOrigin ? fetch : fetchElsewhere;
  return await sendBy(url.href, {
    method,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    redirect: 'manual',
    signal,
    ...(body === undefined ? {} : { body }),
  });
}

function forbidden(cause: unknown, redirected: boolean): FetchError | undefined {
  return isPortolanError(cause) && cause.code === 'ERR_ADDRESS_FORBIDDEN'
    ? new FetchError({ kind: 'address', redirected, cause })
    : undefined;
}

function nextOf(from: URL, location: string | null, { refuse }: RedirectRules): URL {
  const to = location === null ? undefined : resolveReference(from, location);
  const because = to === undefined ? '' : refuse(from, to);
  if (to !== undefined && because === undefined) return to;
  throw new FetchError({
    kind: 'redirect',
    from,
    location: location ?? undefined,
    to,
    because: because ?? '',
  });
}

/** Removes name and password from an address, because fetch rejects an address that contains them. */
function withoutLogin(address: URL): URL {
  const plain = new URL(address);
  plain.username = '';
  plain.password = '';
  return plain;
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}
