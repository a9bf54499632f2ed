import type { IncomingMessage } from 'node:http';
import { findValue, INTERNAL_ERROR, parseServerMessage } from '@portolan/mcp-protocol';

/** Statuses of failures before the server got the request. With `Retry-After`, a retry is safe. */
const SOON: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns the result of `findRetryDelay` for a response of `node:http`. */
export function retryDelayOf({ statusCode = 0, headers }: IncomingMessage): number | undefined {
  return findRetryDelay(statusCode, headers['retry-after'], headers.date);
}

/**
 * Returns milliseconds from `Retry-After`, which has seconds or a date (RFC 9110, section 10.2.3). Undefined
 * when the response asks for no retry. `date` is the value of the header `Date`.
 */
export function findRetryDelay(status: number, retryAfter = '', date = ''): number | undefined {
  if (!SOON.has(status) || retryAfter === '') return undefined;
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
