import { isPortolanError, type PageResponse, type PageRoute, resolveReference } from '@portolan/plugin-api';
import { h } from 'preact';
import type { ConsoleParts, PageContent, View } from '../layout/view.ts';
import { answerWith, page } from '../layout/page.ts';
import { BrowserCookies } from './browser-cookies.ts';
import { readSession, toJson, toSession } from './session-data.ts';
import type { Visitor } from './visitor.ts';

const NOWHERE = new URL('http://nowhere.invalid');
const MAX_CHARACTERS = 1024;

/**
 * Returns the local path to return to after a login; `/` for anything that a browser could read as another
 * host.
 */
export function returnPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > MAX_CHARACTERS) return '/';
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text)) return '/';
  const url = resolveReference(NOWHERE, text);
  if (url?.origin !== NOWHERE.origin) return '/';
  return /^\/log(?:in|out)(?:\/|$)/.test(url.pathname) ? '/' : `${url.pathname}${url.search}`;
}

/** Maximum duration of a login in seconds. */
const LOGIN_SECONDS = 600;
const LOGIN = 'login';
/** Headers that keep an address with an authorization code out of `Referer`. */
const NO_REFERRER = { 'Referrer-Policy': 'no-referrer' };

export function loginPages(parts: ConsoleParts): readonly PageRoute[] {
  const log = {
    path: '/login',
    name: 'beginLogin',
    summary: 'Sends the browser to the login of a provider.',
  };
  const back = {
    path: '/login/callback',
    name: 'finishLogin',
    summary: 'Address that a browser returns to after a login.',
  };
  const out = {
    method: 'POST' as const,
    path: '/logout',
    name: 'logOut',
    summary: 'Ends the session of a browser.',
  };
  return [page(parts, log, beginLogin), page(parts, back, finishLogin), page(parts, out, logOut)];
}

async function beginLogin(view: View): Promise<PageContent | PageResponse> {
  const { request, visitor, parts } = view;
  const { sessions, logins, publicUrl } = parts.hostContext;
  const back = returnPath(request.query.get('return'));
  if (visitor.authorization !== undefined) return redirect(`${publicUrl ?? request.base}${back}`);
  const ways = logins();
  if (sessions === undefined || publicUrl === undefined || ways.length === 0)
    return told(404, 'Nobody logs in here', 'This registry has no way to log in with a browser.');
  const requested = request.query.get('provider');
  const way = requested === null && ways.length === 1 ? ways[0] : ways.find(({ name }) => name === requested);
  if (way === undefined) return choice(view, back);
  try {
    const { url, pending } = await way.begin(`${publicUrl}/login/callback`, signalOf(view));
    const cookies = new BrowserCookies(publicUrl);
    const sealed = sessions.seal(LOGIN, { provider: way.name, pending, back }, LOGIN_SECONDS * 1000);
    return redirect(url.href, [cookies.set('login', sealed, LOGIN_SECONDS)]);
  } catch (err) {
    parts.context.logger.warn({ provider: way.name, err }, 'a login could not start');
    return told(
      503,
      'The login cannot start',
      `${way.name} is unavailable at the moment.`,
      again(view, back),
    );
  }
}

/**
 * Renders the providers as links, because the content security policy forbids forms that lead to another
 * host.
 */
function choice({ parts, at }: View, back: string): PageContent {
  const pathOf = (provider: string): string =>
    at(`/login?${new URLSearchParams({ provider, ...(back === '/' ? {} : { return: back }) }).toString()}`);
  const ways = parts.hostContext.logins();
  return {
    title: 'Log in',
    headers: NO_REFERRER,
    body: h(
      'div',
      { class: 'inner' },
      h('h1', null, 'Log in'),
      h('p', null, 'You are sent to where you have an account, and come back here.'),
      h(
        'ul',
        { class: 'logins' },
        ways.map(({ name }) =>
          h('li', null, h('a', { class: 'button', href: pathOf(name) }, `Log in with ${name}`)),
        ),
      ),
    ),
  };
}

async function finishLogin(view: View): Promise<PageContent | PageResponse> {
  const { request, parts } = view;
  const { sessions, logins, publicUrl } = parts.hostContext;
  const { logger, clock } = parts.context;
  if (sessions === undefined || publicUrl === undefined)
    return told(404, 'Nobody logs in here', 'This registry has no way to log in with a browser.');
  const cookies = new BrowserCookies(publicUrl);
  const over = [cookies.clear('login')];
  const unsealed = sessions.unseal(LOGIN, request.cookies.get(cookies.name('login')) ?? '') ?? {};
  const { provider, pending } = unsealed;
  const back = returnPath(typeof unsealed['back'] === 'string' ? unsealed['back'] : undefined);
  const way = logins().find(({ name }) => name === provider);
  if (way === undefined || typeof pending !== 'string') {
    const what = 'It did not begin in this browser, or more than ten minutes ago.';
    return told(400, 'The login failed', what, again(view, '/'), over);
  }
  try {
    const came = new URL(`${publicUrl}/login/callback?${request.query.toString()}`);
    const tokens = await way.finish(came, pending, signalOf(view));
    const me = await request.api({ path: '/v1/me' }, `Bearer ${tokens.token}`);
    if (me.status === 401) {
      logger.warn({ provider: way.name }, 'a login returned a token that the registry does not accept');
      const what = `${way.name} knows you, but this registry does not accept the token that it issued.`;
      return told(403, 'The login failed', what, again(view, back), over);
    }
    // Starts a new session, which prevents session fixation.
    await sessions.end(request.cookies.get(cookies.name('session')) ?? '');
    const id = await sessions.begin(toJson(toSession(way.name, tokens, clock().getTime())));
    logger.info({ provider: way.name }, 'a user has logged in with a browser');
    return redirect(`${publicUrl}${back}`, [...over, cookies.clear('visitor'), cookies.set('session', id)]);
  } catch (err) {
    logger.warn({ provider: way.name, err }, 'a login failed');
    const isRefused = isPortolanError(err) && err.class === 'refused';
    const what = isRefused
      ? `${way.name} refused the login, or the login was started in another browser.`
      : `${way.name} is unavailable at the moment.`;
    return told(isRefused ? 403 : 503, 'The login failed', what, again(view, back), over);
  }
}

async function logOut(view: View): Promise<PageResponse> {
  const { request, parts } = view;
  const { sessions, logins, publicUrl } = parts.hostContext;
  const cookies = new BrowserCookies(publicUrl ?? request.base);
  const id = request.cookies.get(cookies.name('session'));
  const over = [cookies.clear('session'), cookies.clear('visitor')];
  const home = `${publicUrl ?? request.base}/`;
  if (sessions === undefined || id === undefined) return redirect(home, over);
  const session = readSession((await sessions.find(id)) ?? {});
  await sessions.end(id);
  const way = logins().find(({ name }) => name === session?.provider);
  // Does not wait for the provider, because the local session is over already.
  if (session?.renewal !== undefined) void way?.end(session.renewal, AbortSignal.timeout(15_000));
  const there = await way?.leave?.(session?.farewell, home, AbortSignal.timeout(3000));
  return way === undefined || there === undefined
    ? redirect(home, over)
    : await answerWith(asNobody(view), loggedOut(view, way.name, there, over));
}

function asNobody(view: View): View {
  const { csrf, isOwnPost } = view.visitor;
  const nobody: Visitor = {
    authorization: undefined,
    hasSession: false,
    name: undefined,
    csrf,
    loginPath: '/login',
    isOwnPost,
    cookies: [],
  };
  return {
    ...view,
    visitor: nobody,
    api: async (apiRequest) => await view.request.api(apiRequest, undefined),
  };
}

/**
 * Renders the provider's logout as a link: the content security policy keeps forms on this server, and the
 * user may want to stay logged in elsewhere.
 */
function loggedOut({ at }: View, provider: string, there: URL, cookies: readonly string[]): PageContent {
  const title = 'You are logged out here';
  return {
    title,
    headers: { ...NO_REFERRER, 'Set-Cookie': cookies },
    body: h(
      'div',
      { class: 'inner' },
      h('h1', null, title),
      h(
        'p',
        null,
        `The login service ${provider} may still know you, and let the next login pass without a question.`,
      ),
      h(
        'p',
        { class: 'actions' },
        h('a', { class: 'button', href: there.href, rel: 'noreferrer' }, `Log out of ${provider}, too`),
        h('a', { class: 'button quiet', href: at('/') }, 'To the registries'),
      ),
    ),
  };
}

/** Redirects to an absolute address, so that a browser cannot mistake a path for a host. */
function redirect(location: string, cookies: readonly string[] = []): PageResponse {
  return { status: 303, headers: { Location: location, 'Set-Cookie': cookies, ...NO_REFERRER } };
}

interface LoginLink {
  readonly href: string;
}

function again({ at }: View, back: string): LoginLink {
  return { href: at(back === '/' ? '/login' : `/login?${new URLSearchParams({ return: back }).toString()}`) };
}

/** Renders the result of a login. Shows no text from the provider. */
function told(
  status: number,
  title: string,
  what: string,
  link?: LoginLink,
  cookies: readonly string[] = [],
): PageContent {
  return {
    status,
    title,
    headers: { ...NO_REFERRER, 'Set-Cookie': cookies },
    body: h(
      'div',
      { class: 'inner' },
      h('h1', null, title),
      h('p', null, what),
      link === undefined ? null : h('p', null, h('a', { class: 'button', href: link.href }, 'Log in again')),
    ),
  };
}

function signalOf({ request }: View): AbortSignal {
  return request.signal ?? AbortSignal.timeout(15_000);
}
