import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageRequest } from '@portolan/plugin-api';

/** Returns the CSRF token of a form, an HMAC keyed with a cookie that other sites cannot read. */
export function csrfOf(cookie: string): string {
  return createHmac('sha256', cookie).update('portolan csrf').digest('base64url');
}

/**
 * Returns whether a POST comes from a page of this server: the browser's headers do not contradict it, and
 * the token matches one of the cookies.
 */
export function isFromOwnPage(request: PageRequest, cookies: readonly string[]): boolean {
  return !comesFromElsewhere(request) && cookies.some((cookie) => hasToken(request, csrfOf(cookie)));
}

/**
 * Returns whether `Sec-Fetch-Site`, or `Origin` in older browsers, names another site. Clients that are not
 * browsers send neither.
 */
function comesFromElsewhere({ headers, base }: PageRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  const { origin } = headers;
  return origin !== undefined && URL.parse(String(origin))?.host !== new URL(base).host;
}

function hasToken({ headers, body }: PageRequest, expected: string): boolean {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(String(headers['content-type'] ?? ''));
  const inputs = isForm ? new URLSearchParams(body).getAll('csrf') : [String(headers['x-csrf-token'] ?? '')];
  const [only = ''] = inputs;
  const [left, right] = [Buffer.from(only), Buffer.from(expected)];
  return inputs.length === 1 && left.length === right.length && timingSafeEqual(left, right);
}
