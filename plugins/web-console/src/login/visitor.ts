import { randomBytes, createHmac, timingSafeEqual } from 'node:crypto';
import type { Logger, PageRequest, PagesContext } from '@portolan/plugin-api';
import { BrowserCookies } from './browser-cookies.ts';
import { loggedIn } from './logged-in.ts';

export interface Visitor {
  /** `Authorization` header of API requests; undefined for an anonymous visitor. */
  readonly authorization: string | undefined;
  /** Whether the visitor has logged in here and can log out. */
  readonly hasSession: boolean;
  /** Display name; undefined without a login, or if the provider does not state it. */
  readonly name: string | undefined;
  /** CSRF token of forms. The first access sets a cookie if there is none. */
  readonly csrf: string;
  /** Path of the login; undefined if logged in, on the login pages, or without a provider. */
  readonly loginPath: string | undefined;
  /** Whether a POST comes from a page of this server; other POST requests are refused. */
  readonly isOwnPost: boolean;
  /** `Set-Cookie` headers of the response; complete when the page is rendered. */
  readonly cookies: readonly string[];
}

export interface VisitorParts {
  readonly context: PagesContext;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** Maximum time in milliseconds to wait for a token renewal. */
const PATIENCE_MS = 15_000;

/**
 * Returns the visitor of a request. A token in the request wins, which a reverse proxy may add; else the
 * session cookie decides; else the visitor is anonymous.
 */
export async function visitor(
  request: PageRequest,
  { context, clock, logger }: VisitorParts,
): Promise<Visitor> {
  const { sessions, logins, publicUrl } = context;
  const cookies = new BrowserCookies(publicUrl ?? request.base);
  const { authorization } = request.headers;
  const token = typeof authorization === 'string' ? authorization : undefined;
  const id = token === undefined ? request.cookies.get(cookies.name('session')) : undefined;
  const signal = request.signal ?? AbortSignal.timeout(PATIENCE_MS);
  const session =
    id === undefined || sessions === undefined
      ? undefined
      : await loggedIn(id, { sessions, logins, clock, logger }, signal);
  const canLogIn = sessions !== undefined && publicUrl !== undefined && logins().length > 0;
  const isKnown = token !== undefined || session !== undefined;
  const headers: string[] = [];
  const own = session === undefined ? request.cookies.get(cookies.name('visitor')) : undefined;
  let secret = session === undefined ? own : id;
  // Forms of an expired session may still be open, and one of them logs out.
  const secrets = [id, own].filter((one) => one !== undefined).filter((one) => one !== '');
  return {
    authorization: token ?? (session === undefined ? undefined : `Bearer ${session.token}`),
    hasSession: session !== undefined,
    name: session?.name,
    get csrf() {
      if (secret === undefined || secret === '') {
        secret = randomBytes(32).toString('base64url');
        headers.push(cookies.set('visitor', secret));
      }
      return csrfOf(secret);
    },
    loginPath: canLogIn && !isKnown ? loginPathOf(request) : undefined,
    isOwnPost: request.method === 'POST' && isFromOwnPage(request, secrets),
    cookies: headers,
  };
}

/** Returns the login path that leads back to the current page; undefined on login pages. */
function loginPathOf({ method, path, query }: PageRequest): string | undefined {
  if (/^\/login(?:\/|$)/.test(path)) return undefined;
  const text = query.toString();
  const back = method === 'POST' ? '/' : `${path}${text === '' ? '' : `?${text}`}`;
  return back === '/' ? '/login' : `/login?${new URLSearchParams({ return: back }).toString()}`;
}

/** Returns the CSRF token of a form, an HMAC keyed with a cookie that other sites cannot read. */
export function csrfOf(cookie: string): string {
  return createHmac('sha256', cookie).update('portolan csrf').digest('base64url');
}

/**
 * Returns whether a POST comes from a page of this server: the browser's headers do not contradict it, and
 * the token matches one of the cookies.
 */
function isFromOwnPage(request: PageRequest, cookies: readonly string[]): boolean {
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
