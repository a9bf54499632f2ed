import { randomBytes } from 'node:crypto';
import type { Logger, PageRequest, PagesSurroundings } from '@portolan/plugin-api';
import { BrowserCookies } from './browser-cookies.ts';
import { csrfOf, isFromOwnPage } from './csrf.ts';
import { loggedIn } from './logged-in.ts';

/** Who looks at a page. */
export interface Visitor {
  /** What requests of the API are sent with; undefined for a caller without a token. */
  readonly authorization: string | undefined;
  /** Whether they have logged in here, so that they can log out. */
  readonly hasSession: boolean;
  /** What to call them; undefined where nobody is logged in, and where their provider does not say. */
  readonly name: string | undefined;
  /** What every form sends as `csrf`. Whoever asks for it gets a cookie with the answer, where there is none yet. */
  readonly csrf: string;
  /** Where they can log in; undefined where they are, or are about to, or where there is no way to. */
  readonly loginPath: string | undefined;
  /** Whether a POST comes from a page of this server; nothing is done for one that does not. */
  readonly isOwnPost: boolean;
  /** Headers `Set-Cookie` of the answer; complete when the page is. */
  readonly cookies: readonly string[];
}

/** What visitors are found with. */
export interface VisitorParts {
  readonly surroundings: PagesSurroundings;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** How long somebody waits for their tokens to be renewed. */
const PATIENCE_MS = 15_000;

/**
 * Who sends a request: whoever sends a token with the request itself, as a proxy
 * before the server may; else whoever is logged in with the session in the cookie;
 * else nobody.
 */
export async function visitor(
  request: PageRequest,
  { surroundings, clock, logger }: VisitorParts,
): Promise<Visitor> {
  const { sessions, logins, publicUrl } = surroundings;
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
  // Of a session that is over, or has no good token now, forms may still be open: one of them logs out.
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

/** Back to where they are, if that is a page; undefined on the pages of the login itself. */
function loginPathOf({ method, path, query }: PageRequest): string | undefined {
  if (/^\/login(?:\/|$)/.test(path)) return undefined;
  const text = query.toString();
  const back = method === 'POST' ? '/' : `${path}${text === '' ? '' : `?${text}`}`;
  return back === '/' ? '/login' : `/login?${new URLSearchParams({ return: back }).toString()}`;
}
