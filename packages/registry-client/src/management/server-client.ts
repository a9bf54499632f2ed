import { setTimeout } from 'node:timers/promises';
import { askDocument, type DocumentResponse, faultIn } from '@portolan/outbound';
import type { ConnectionContext } from '../connection/connection-context.ts';
import { OwnFetch } from '../connection/own-fetch.ts';
import { askWithAccess, type RegistryAccess } from '../connection/registry-access.ts';
import { serverBaseOf } from '../connection/server-base.ts';
import { serverAnswerUnusable, serverTimedOut, serverUnreachable } from './server-errors.ts';
import { parseRefusal, type Refusal, type ServerReply } from './server-reply.ts';
import { isPortolanError, type PortolanError } from '@portolan/plugin-api';

const REASONS: ReadonlyMap<string, { readonly reason: string; readonly hint: string }> = new Map([
  [
    'ECONNREFUSED',
    {
      reason: 'nothing listens there',
      hint: 'check host and port, and that the server runs; `portolan serve` listens on 127.0.0.1:8080 by default',
    },
  ],
  ['ENOTFOUND', { reason: 'its host name does not exist', hint: 'check the spelling of the host' }],
  ['EAI_AGAIN', { reason: 'DNS lookups fail at the moment', hint: 'check the connection of this machine' }],
  [
    'ECONNRESET',
    { reason: 'the connection was cut', hint: 'try again; the server may have applied the request already' },
  ],
  [
    'UND_ERR_SOCKET',
    { reason: 'the connection was cut', hint: 'try again; the server may have applied the request already' },
  ],
  [
    'UND_ERR_CONNECT_TIMEOUT',
    { reason: 'the connection timed out', hint: 'check the host, the port, and firewalls' },
  ],
]);

/** Matches error codes of Node.js and OpenSSL for a certificate that is untrusted or for another host. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Returns the error to report for a failed connection. Undefined for an error with another cause. */
function connectionFault(origin: string, error: unknown): PortolanError | undefined {
  if (isPortolanError(error) || !(error instanceof TypeError)) return undefined;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known = REASONS.get(code);
  if (known !== undefined) return serverUnreachable(origin, known.reason, known.hint, error);
  const message = cause instanceof Error && cause.message !== '' ? cause.message : error.message;
  const reason = CERTIFICATE.test(code) ? `its certificate is not trusted (${message})` : message;
  const hint = CERTIFICATE.test(code)
    ? 'name the certificate of its authority with --ca-cert'
    : 'check the address, and what stands between it and this machine';
  return serverUnreachable(origin, reason, hint, error);
}

export interface ServerClientOptions {
  readonly address: URL;
  readonly access: RegistryAccess;
  /** Milliseconds for one response with its body. */
  readonly timeoutMs: number;
  /** Additional trusted certificates as PEM. */
  readonly ca?: string;
  readonly refusalError: (
    refusal: Refusal,
    client: Pick<ServerClient, 'tokenFrom' | 'origin' | 'server' | 'tokenExpiry'>,
  ) => Error;
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with a leading slash and escaped segments. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

export type Outcome =
  | { readonly ok: true; readonly reply: ServerReply }
  | { readonly ok: false; readonly refusal: Refusal };

/** Maximum bytes of a response. A page has at most a thousand versions with their claims. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_TRIES = 4;
const MAX_PAUSE_S = 30;
/** Statuses after which the client retries. */
const LATER = [429, 503];

/**
 * Client of a registry server, through the environment's proxies. A redirect is an error, so that the token
 * goes only to the named server. Retries up to three times when the server is busy, and renews a rejected
 * login once.
 */
export class ServerClient {
  readonly #options: ServerClientOptions;
  readonly #fetch: OwnFetch;
  readonly #userAgent: string;

  constructor({ openFetch, environment, version }: ConnectionContext, options: ServerClientOptions) {
    const { ca } = options;
    this.#options = options;
    this.#fetch = new OwnFetch(() =>
      openFetch({ allowPrivateAddresses: true, environment, ...(ca === undefined ? {} : { ca }) }),
    );
    this.#userAgent = `portolan/${version}`;
  }

  get origin(): string {
    return this.#options.address.origin;
  }

  /** Address for `portolan registry login`. */
  get server(): string {
    return serverBaseOf(this.#options.address).href.replace(/\/$/, '');
  }

  get tokenFrom(): RegistryAccess['from'] {
    return this.#options.access.from;
  }

  get tokenExpiry(): Date | undefined {
    return this.#options.access.expiresAt;
  }

  async ask(request: ServerRequest): Promise<ServerReply> {
    const outcome = await this.send(request);
    if (!outcome.ok) throw this.#options.refusalError(outcome.refusal, this);
    return outcome.reply;
  }

  async close(): Promise<void> {
    await this.#fetch.close();
  }

  /**
   * Sends a request and returns the response, even if the server refused the request. Throws
   * ERR_REGISTRY_UNREACHABLE, ERR_REGISTRY_TIMEOUT, ERR_REGISTRY_RESPONSE for a redirect or a body that is
   * not JSON, and errors of opening connections and getting a token.
   */
  async send(request: ServerRequest): Promise<Outcome> {
    for (let tries = 1; ; tries += 1) {
      const { outcome, retryAfterS } = await this.#try(request);
      const status = outcome.ok ? outcome.reply.status : outcome.refusal.status;
      const isLate = status === 429 || retryAfterS !== undefined;
      if (!LATER.includes(status) || !isLate || tries === MAX_TRIES) return outcome;
      await setTimeout(Math.min(retryAfterS ?? tries, MAX_PAUSE_S) * 1000);
    }
  }

  async #try(request: ServerRequest): Promise<{ outcome: Outcome; retryAfterS: number | undefined }> {
    const { timeoutMs, address } = this.#options;
    const what = `${request.method} ${address.pathname === '/' ? '' : address.pathname}${request.path}`;
    try {
      const response = await askWithAccess(this.#options.access, (token) => this.#ask(request, token));
      return {
        outcome: toOutcome(what, response),
        retryAfterS: secondsOf(response.headers.get('Retry-After')),
      };
    } catch (error) {
      const fault = faultIn(error);
      if (fault?.kind === 'time') throw serverTimedOut(this.origin, timeoutMs / 1000);
      if (fault?.kind === 'size') throw serverAnswerUnusable(what, `more than ${MAX_BYTES} bytes`);
      const cause = fault !== undefined && 'cause' in fault ? fault.cause : error;
      throw connectionFault(this.origin, cause) ?? cause;
    }
  }

  async #ask(
    { method, path, query, body, ifMatch, ifNoneMatch }: ServerRequest,
    token: string | undefined,
  ): Promise<DocumentResponse> {
    const { address, timeoutMs } = this.#options;
    const url = new URL(address);
    url.pathname = `${address.pathname.replace(/\/$/, '')}${path}`;
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    return await askDocument(url, {
      fetch: await this.#fetch.get(),
      method,
      headers: {
        Accept: 'application/json',
        'User-Agent': this.#userAgent,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
        ...(ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch }),
      },
      authorize: () => (token === undefined ? undefined : `Bearer ${token}`),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
  }
}

function toOutcome(what: string, { status, headers, type, bytes }: DocumentResponse): Outcome {
  if (status >= 300 && status < 400)
    throw serverAnswerUnusable(what, `a redirect (${status}), which is not followed`);
  const text = new TextDecoder().decode(bytes);
  const body = text === '' ? undefined : parseJson(text);
  const foundInstead = `${status} and ${text === '' ? 'nothing' : type || 'no content type'}; expected JSON`;
  if (body === NOT_JSON) throw serverAnswerUnusable(what, foundInstead);
  if (status < 400) return { ok: true, reply: { status, body, etag: headers.get('ETag') ?? undefined } };
  const refusal = parseRefusal(status, body);
  if (refusal === undefined) throw serverAnswerUnusable(what, foundInstead);
  return { ok: false, refusal };
}

const NOT_JSON = Symbol('not JSON');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

/** Returns the seconds in a `Retry-After` header. A date counts as one second. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) : 1;
}
