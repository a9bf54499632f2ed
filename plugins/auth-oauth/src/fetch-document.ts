import { endpointUnusable } from './errors.ts';
import { findUrlProblem } from './url-rules.ts';

/** How a document of a provider is asked for. */
export interface DocumentRequest {
  readonly fetch: typeof globalThis.fetch;
  readonly allowInsecure: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface DocumentAnswer {
  readonly status: number;
  /** Undefined where the answer is no JSON. */
  readonly document: unknown;
}

const MOST_BYTES = 256 * 1024;
const MOST_REDIRECTS = 3;

/**
 * The JSON document that an endpoint answers with, of at most 256 KiB, whatever
 * the status. Only a GET follows redirects, at most three, each to an address
 * that could have been configured; the `authorization` header goes to the first
 * origin only. Throws ERR_OAUTH_ENDPOINT.
 */
export async function fetchDocument(url: string, request: DocumentRequest): Promise<DocumentAnswer> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(request.timeoutMs)]);
  const shown = withoutQuery(url);
  try {
    const response = await follow(new URL(url), shown, { ...request, signal });
    return { status: response.status, document: parse(await readBounded(shown, response)) };
  } catch (cause) {
    if (isUnusable(cause)) throw cause;
    if (signal.aborted && !request.signal.aborted) {
      throw endpointUnusable(shown, `did not answer within ${request.timeoutMs / 1000} s`, cause);
    }
    throw endpointUnusable(shown, `cannot be asked: ${reasonOf(cause)}`, cause);
  }
}

async function follow(first: URL, shown: string, request: DocumentRequest): Promise<Response> {
  const { method = 'GET', body, signal } = request;
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const { authorization, ...others } = request.headers ?? {};
    const known = authorization !== undefined && url.origin === first.origin ? { authorization } : {};
    const response = await request.fetch(url, {
      method,
      headers: { accept: 'application/json', ...others, ...known },
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    if (method !== 'GET') throw endpointUnusable(shown, 'redirects, which is not followed');
    const problem = URL.canParse(location, url.href)
      ? findUrlProblem(new URL(location, url).href, request.allowInsecure)
      : 'is no address';
    if (problem !== undefined) throw endpointUnusable(shown, `redirects to what ${problem}`);
    url = new URL(location, url);
  }
  throw endpointUnusable(shown, `redirects more than ${MOST_REDIRECTS} times`);
}

async function readBounded(shown: string, response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the rest.
    if (length > MOST_BYTES) throw endpointUnusable(shown, `answers with more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What may be logged: one sort of introspection has the token in its query. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Undefined is no JSON; pages of errors often are none. */
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

/** The innermost message: fetch itself says only that it failed. */
function reasonOf(cause: unknown): string {
  let inner = cause;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner instanceof Error ? inner.message : String(inner);
}
