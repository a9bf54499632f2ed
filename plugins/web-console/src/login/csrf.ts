import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PageRequest } from '@portolan/plugin-api';

/** What forms of a browser send along: made of a cookie that no other site can read. */
export function csrfOf(cookie: string): string {
  return createHmac('sha256', cookie).update('portolan csrf').digest('base64url');
}

/**
 * Whether a POST comes from a page of this server: the browser says so where it can,
 * and what was sent has the text that only such a page has, made of one of the cookies.
 */
export function isFromOwnPage(request: PageRequest, cookies: readonly string[]): boolean {
  return !comesFromElsewhere(request) && cookies.some((cookie) => hasToken(request, csrfOf(cookie)));
}

/** As browsers say it: Sec-Fetch-Site, or those without it Origin. Other programs say neither. */
function comesFromElsewhere({ headers, base }: PageRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  const { origin } = headers;
  return origin !== undefined && URL.parse(String(origin))?.host !== new URL(base).host;
}

function hasToken({ headers, body }: PageRequest, expected: string): boolean {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(String(headers['content-type'] ?? ''));
  const given = isForm ? new URLSearchParams(body).getAll('csrf') : [String(headers['x-csrf-token'] ?? '')];
  const [only = ''] = given;
  const [left, right] = [Buffer.from(only), Buffer.from(expected)];
  return given.length === 1 && left.length === right.length && timingSafeEqual(left, right);
}
