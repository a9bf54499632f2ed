import {
  INTERNAL_ERROR,
  isJsonObject,
  memberOf,
  type MessageId,
  type ResponseMessage,
  writeError,
} from '@portolan/mcp-protocol';
import { sentenceOf } from './sentence-of.ts';

/**
 * Reasons why a request has no response of the server. The server is alive with `unauthorized` (401),
 * `forbidden` (403), `rate-limited` (429) and `rejected` (any other status). The server did not get the request
 * with `unreachable`, `credentials`, `busy` and `session-lost`. The request may have run with `unavailable`
 * (502, 503, 504), `interrupted` and `invalid-response`.
 */
const REASONS = [
  'unauthorized',
  'forbidden',
  'rate-limited',
  'rejected',
  'unreachable',
  'credentials',
  'busy',
  'session-lost',
  'unavailable',
  'interrupted',
  'invalid-response',
] as const;

export type HttpFaultReason = (typeof REASONS)[number];

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

/** Returns a fault as an error response, for connections that carry messages only. */
export function writeHttpFault(id: MessageId, { reason, details }: HttpFault, message: string): string {
  return writeError(id, { code: INTERNAL_ERROR, message, data: { reason, ...details } });
}

/** Returns the fault that `writeHttpFault` wrote. Undefined for any other response, which is one of the server. */
export function readHttpFault({ isError, errorCode, text }: ResponseMessage): HttpFault | undefined {
  if (!isError || errorCode !== INTERNAL_ERROR || !text.includes('"reason"')) return undefined;
  const message: unknown = JSON.parse(text);
  const error = isJsonObject(message) ? memberOf(message, 'error') : undefined;
  const data = isJsonObject(error) ? memberOf(error, 'data') : undefined;
  if (!isJsonObject(error) || !isJsonObject(data)) return undefined;
  const reason = REASONS.find((one) => one === memberOf(data, 'reason'));
  if (reason === undefined) return undefined;
  const status = memberOf(data, 'status');
  const retryAfterSeconds = memberOf(data, 'retryAfterSeconds');
  const challenge = memberOf(data, 'challenge');
  return new HttpFault(reason, String(memberOf(error, 'message')), {
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    ...(typeof challenge === 'string' ? { challenge } : {}),
  });
}
