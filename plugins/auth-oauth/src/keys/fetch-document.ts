import { askDocument, type Fault, faultIn, reasonIn } from '@portolan/outbound';
import { endpointUnusable } from '../errors.ts';
import { findUrlProblem } from '../url-rules.ts';

export interface DocumentRequest {
  readonly fetch: typeof globalThis.fetch;
  readonly fetchElsewhere: typeof globalThis.fetch;
  readonly allowInsecure: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface KeyDocument {
  readonly status: number;
  /** Parsed body. Undefined when the response is not JSON. */
  readonly document: unknown;
}

const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

/**
 * Accepts any status, and at most 256 KiB. Only a GET follows redirects, at most three, each to an address
 * that the configuration would accept; `authorization` goes only to the first origin. Throws
 * ERR_OAUTH_ENDPOINT.
 */
export async function fetchDocument(url: string, request: DocumentRequest): Promise<KeyDocument> {
  const { method = 'GET', allowInsecure, timeoutMs } = request;
  const { authorization, ...headers } = request.headers ?? {};
  const shown = withoutQuery(url);
  try {
    const { status, bytes } = await askDocument(new URL(url), {
      ...request,
      headers: { accept: 'application/json', ...headers },
      authorize: () => authorization,
      redirects: { max: MAX_REDIRECTS, refuse: (_from, to) => findUrlProblem(to.href, allowInsecure) },
      maxBytes: MAX_BYTES,
    });
    return { status, document: parse(bytes) };
  } catch (cause) {
    if (isUnusable(cause)) throw cause;
    throw endpointUnusable(shown, problemOf(faultIn(cause), method, timeoutMs, cause), cause);
  }
}

function problemOf(fault: Fault | undefined, method: string, timeoutMs: number, cause: unknown): string {
  switch (fault?.kind) {
    case 'time':
      return `did not respond within ${timeoutMs / 1000} s`;
    case 'size':
      return `responds with more than ${MAX_BYTES} bytes`;
    case 'redirects':
      if (method !== 'GET') return 'redirects, which is not followed';
      return `redirects more than ${MAX_REDIRECTS} times`;
    case 'redirect':
      return `redirects to what ${fault.to === undefined ? 'is not an address' : fault.because}`;
    case 'address':
    case 'connection':
    case 'body':
    case undefined:
      return `cannot be requested: ${reasonIn(cause)}`;
    default:
      return fault satisfies never;
  }
}

/** Returns an address without its query for logs: one kind of introspection has the token in the query. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Parses JSON. Undefined for other text, such as an error page. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function isUnusable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OAUTH_ENDPOINT';
}
