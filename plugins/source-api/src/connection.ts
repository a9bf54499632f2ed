import { askDocument, type DocumentResponse, type Fault, faultIn } from '@portolan/outbound';
import type { PortolanError } from '@portolan/plugin-api';
import {
  answerTooLarge,
  askedToWait,
  redirectRefused,
  statusUnexpected,
  tooSlow,
  unreachable,
} from './errors.ts';
import type { Credentials } from './client-credentials.ts';
import { backOff, isTransient, MAX_WAIT_MS, type RetryRules, retryAfterMs } from './retry.ts';

const MAX_REDIRECTS = 5;

export interface ConnectionOptions {
  /** Decides to which addresses the source connects; see `OriginFetch`. */
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly retry: RetryRules;
  /** Credentials for the requested origin. They are never sent to another one. */
  readonly credentials: Credentials | undefined;
}

export interface RegistryQuestion {
  /** The requested document, for messages: `page 3 of the servers`. */
  readonly what: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

type Attempt =
  | { readonly response: DocumentResponse }
  | { readonly fault: PortolanError; readonly waitMs: number | undefined; readonly passes: boolean };

/** Sends requests to a registry, with retries for temporary failures. */
export class Connection {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and returns the response with any status, except for temporary failures. Throws
   * ERR_SOURCE_API_* without a response, or the signal's reason.
   */
  async ask(question: RegistryQuestion): Promise<DocumentResponse> {
    const { max, pause, random } = this.#options.retry;
    let isRenewed = false;
    for (let attempt = 0; ; attempt += 1) {
      const tried = await this.#try(question);
      if ('response' in tried) {
        if (tried.response.status !== 401 || isRenewed) return tried.response;
        // A token may be revoked before it expires, so request another one, but only once.
        isRenewed = true;
        if (this.#options.credentials?.renew?.() !== true) return tried.response;
        continue;
      }
      if (!tried.passes || attempt >= max) throw tried.fault;
      await pause(tried.waitMs ?? backOff(attempt, random), question.signal);
    }
  }

  async #try(question: RegistryQuestion): Promise<Attempt> {
    const { what, url, headers = {}, signal } = question;
    const { fetch, timeoutMs, maxBytes, credentials } = this.#options;
    const authorization = await credentials?.authorize(signal);
    try {
      const response = await askDocument(url, {
        fetch,
        headers: { accept: 'application/json', 'user-agent': 'portolan', ...headers },
        authorize: () => authorization,
        timeoutMs,
        maxBytes,
        signal,
        redirects: { max: MAX_REDIRECTS, refuse: refuseRedirect },
        reads: (status) => status === 200,
      });
      return isTransient(response.status) ? this.#judgeStatus(what, response) : { response };
    } catch (error) {
      const fault = faultIn(error);
      if (fault === undefined) throw error;
      const passes = fault.kind === 'time' || fault.kind === 'connection' || fault.kind === 'body';
      return { fault: this.#errorOf(what, fault, error), waitMs: undefined, passes };
    }
  }

  #judgeStatus(what: string, { status, headers }: DocumentResponse): Attempt {
    const waitMs = retryAfterMs(headers.get('retry-after'), this.#options.retry.clock());
    if (waitMs !== undefined && waitMs > MAX_WAIT_MS)
      return { fault: askedToWait(what, status, Math.ceil(waitMs / 1000)), waitMs, passes: false };
    return { fault: statusUnexpected(what, status), waitMs, passes: true };
  }

  #errorOf(what: string, fault: Fault, error: unknown): PortolanError {
    const { timeoutMs, maxBytes } = this.#options;
    switch (fault.kind) {
      case 'address':
        return fault.redirected
          ? redirectRefused(what, 'to an address that may not be reached', error)
          : fault.cause;
      case 'time':
        return tooSlow(what, timeoutMs, error);
      case 'size':
        return answerTooLarge(what, maxBytes);
      case 'redirects':
        return redirectRefused(what, `more than ${MAX_REDIRECTS} times`);
      case 'redirect':
        if (fault.location === undefined) return redirectRefused(what, 'without saying where to');
        return redirectRefused(
          what,
          fault.to === undefined ? 'to something that is not an address' : fault.because,
        );
      case 'connection':
      case 'body':
        return unreachable(what, codeIn(error), error);
      default:
        return fault satisfies never;
    }
  }
}

function refuseRedirect(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'https:' && to.protocol !== 'http:')
    return `to an address that begins with ${to.protocol}`;
  return from.protocol === 'https:' && to.protocol === 'http:' ? 'from https to http' : undefined;
}

/**
 * Returns the innermost system code, such as ECONNREFUSED, because messages contain host names and addresses.
 */
function codeIn(error: unknown): string {
  let match = 'the connection failed';
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') match = at.code;
  }
  return match;
}
