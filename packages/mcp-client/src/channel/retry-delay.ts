import { findValue, INTERNAL_ERROR, parseServerMessage } from '@portolan/mcp-protocol';
import { headerOf, type HttpReply } from './http-reply.ts';

/** Statuses of failures before the server got the request. With `Retry-After`, a retry is safe. */
const SOON: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns the result of `findRetryDelay` for a response. */
export function retryDelayOf(reply: HttpReply): number | undefined {
  return findRetryDelay(reply.status, headerOf(reply, 'retry-after'), headerOf(reply, 'date'));
}

/**
 * Returns milliseconds until a retry is safe. Undefined when the response asks for no retry. `date` is the
 * value of the header `Date`.
 */
export function findRetryDelay(status: number, retryAfter = '', date = ''): number | undefined {
  return SOON.has(status) ? parseRetryAfter(retryAfter, date) : undefined;
}

/**
 * Returns milliseconds from `Retry-After`, which has seconds or a date (RFC 9110, section 10.2.3). Undefined
 * when it has neither.
 */
export function parseRetryAfter(retryAfter = '', date = ''): number | undefined {
  if (retryAfter === '') return undefined;
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const delayMs = Date.parse(retryAfter) - Date.parse(date);
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

/**
 * Returns the retry delay of an error on an event stream, in milliseconds. It comes from
 * `data.retryAfterSeconds`, because events have no headers.
 */
export function retryDelayIn(text: string): number | undefined {
  if (!text.includes('"retryAfterSeconds"')) return undefined;
  const message = parseServerMessage(text);
  if (typeof message === 'string' || message.kind !== 'response' || message.errorCode !== INTERNAL_ERROR)
    return undefined;
  const span = findValue(text, ['error', 'data', 'retryAfterSeconds']);
  const seconds = span === undefined ? '' : text.slice(span.start, span.end);
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}
