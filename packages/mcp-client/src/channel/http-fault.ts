import { sentenceOf } from './sentence-of.ts';

/**
 * Why a request has no response of the server. The server is alive with `unauthorized` (401), `forbidden`
 * (403), `rate-limited` (429) and `rejected` (any other status). The server did not get the request with
 * `unreachable`, `credentials`, `busy` and `session-lost`. The request may have run with `unavailable` (502,
 * 503, 504), `interrupted` and `invalid-response`.
 */
export type HttpFaultReason =
  | 'unauthorized'
  | 'forbidden'
  | 'rate-limited'
  | 'rejected'
  | 'unreachable'
  | 'credentials'
  | 'busy'
  | 'session-lost'
  | 'unavailable'
  | 'interrupted'
  | 'invalid-response';

export interface HttpFaultDetails {
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Header `WWW-Authenticate`, unchanged. */
  readonly challenge?: string;
}

/** A request over HTTP that got no JSON-RPC response. */
export class HttpFault extends Error {
  readonly reason: HttpFaultReason;
  readonly details: HttpFaultDetails;

  constructor(
    reason: HttpFaultReason,
    message: string,
    { cause, ...details }: HttpFaultDetails & { readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'HttpFault';
    this.reason = reason;
    this.details = details;
  }
}

/** Returns a thrown error as a fault. A request that failed for an unknown reason may have run. */
export function toHttpFault(error: unknown): HttpFault {
  return error instanceof HttpFault
    ? error
    : new HttpFault('interrupted', sentenceOf(error), { cause: error });
}

/** Returns what an HTTP status without a JSON-RPC response means. */
export function reasonOfStatus(status: number): HttpFaultReason {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 429) return 'rate-limited';
  return status === 502 || status === 503 || status === 504 ? 'unavailable' : 'rejected';
}
