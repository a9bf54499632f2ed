import { askAddress, type Fault, faultIn, type Question } from '@portolan/outbound';
import type { PortolanError } from '@portolan/plugin-api';
import {
  tooManyRedirects,
  urlNotModified,
  urlRedirect,
  urlStatus,
  urlTimeout,
  urlUnreachable,
} from './errors.ts';
import type { CatalogueUrl } from './parse-catalogue-url.ts';

const MAX_REDIRECTS = 5;

/** Validators of a response, for later conditional requests (RFC 9110, section 8.8). */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface FetchCatalogueOptions<Result> {
  readonly fetch: typeof globalThis.fetch;
  /** Timeout for everything, including redirects and body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Validators of the known document; with them, the request is conditional. */
  readonly validators?: Validators | undefined;
  /** Called with the document of a successful response. The timeout and the signal still apply. */
  accept(document: {
    readonly body: AsyncIterable<Uint8Array>;
    readonly validators: Validators;
  }): Promise<Result>;
}

/**
 * Returns undefined when the server confirmed that the document is unchanged. Follows at most five redirects,
 * each to http or https and never from https to http; the credentials go only to the first origin. Throws
 * errors whose messages name no host, path or query; the signal's reason when it aborts.
 */
export async function fetchCatalogue<Result>(
  target: CatalogueUrl,
  options: FetchCatalogueOptions<Result>,
): Promise<Result | undefined> {
  const { fetch, signal, timeoutMs, validators } = options;
  const question: Question = {
    fetch,
    headers: headersOf(validators),
    authorize: () => target.authorization,
    redirects: { max: MAX_REDIRECTS, refuse: refuseRedirect },
    timeoutMs,
    signal,
  };
  try {
    return await askAddress(target.url, question, async ({ status, headers, body }) => {
      if (status === 304 && validators !== undefined) return undefined;
      if (status !== 200) throw status === 304 ? urlNotModified() : urlStatus(status);
      return await options.accept({ body, validators: validatorsOf(headers) });
    });
  } catch (error) {
    const fault = faultIn(error);
    throw fault === undefined ? error : errorOf(fault, timeoutMs, error);
  }
}

function headersOf(validators: Validators | undefined): Readonly<Record<string, string>> {
  return {
    accept: 'application/json, */*;q=0.1',
    'user-agent': 'portolan',
    ...(validators?.etag === undefined ? {} : { 'if-none-match': validators.etag }),
    ...(validators?.lastModified === undefined ? {} : { 'if-modified-since': validators.lastModified }),
  };
}

function refuseRedirect(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'https:' && to.protocol !== 'http:')
    return `to an address that begins with ${to.protocol}`;
  return from.protocol === 'https:' && to.protocol === 'http:' ? 'from https to http' : undefined;
}

function errorOf(fault: Fault, timeoutMs: number, error: unknown): PortolanError {
  switch (fault.kind) {
    case 'address':
      return fault.cause;
    case 'time':
      return urlTimeout(timeoutMs, error);
    case 'redirects':
      return tooManyRedirects(MAX_REDIRECTS);
    case 'redirect':
      if (fault.location === undefined) return urlRedirect('without saying where to');
      return urlRedirect(fault.to === undefined ? 'to something that is not an address' : fault.because);
    case 'size': // spoolBody counts
    case 'connection':
    case 'body':
      return urlUnreachable(reasonOf(error), error);
    default:
      return fault satisfies never;
  }
}

function validatorsOf(headers: Headers): Validators {
  return { etag: headers.get('etag') ?? undefined, lastModified: headers.get('last-modified') ?? undefined };
}

/** Returns the innermost system code, such as ECONNREFUSED, because messages name hosts and addresses. */
function reasonOf(error: unknown): string {
  let match = 'the connection failed';
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') match = at.code;
  }
  return match;
}
