import type { PageResponse, PageRequest, PageRoute } from '@portolan/plugin-api';
import type { AskApi } from '../listen/ask-api.ts';
import type { PageTurns } from '../request/page-turns.ts';
import { type RequestContext } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { baseUrl } from './base-url.ts';

/** Default security headers of pages: same-origin content only, no framing, no caching. */
const PROTECTION: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Responds with a page and its security headers. */
export function showPage(
  { handle }: Pick<PageRoute, 'handle'>,
  askApi: AskApi,
  publicUrl: string | undefined,
  turns: PageTurns,
): Step {
  return step('showPage', async (ctx) => {
    const pageEnds = turns.isPage();
    try {
      send(ctx, await handle(requestOf(ctx, askApi, publicUrl, turns)));
    } finally {
      pageEnds();
    }
  });
}

function requestOf(
  ctx: RequestContext,
  askApi: AskApi,
  publicUrl: string | undefined,
  turns: PageTurns,
): PageRequest {
  const { method, req, state, querystring } = ctx;
  const base = baseUrl(ctx, publicUrl);
  return {
    // Page routes have only these methods.
    method: method as PageRequest['method'],
    base,
    prefix: new URL(base).pathname.replace(/\/+$/, ''),
    path: state.path,
    parameters: state.pathText,
    query: new URLSearchParams(querystring),
    headers: req.headers,
    cookies: cookiesOf(req.headers.cookie),
    body: state.form,
    requestId: state.requestId,
    signal: state.signal,
    api: async (request, authorization) => await askApi(ctx, request, authorization),
    turn: async () => await turns.take(),
  };
}

function send(ctx: RequestContext, { status, headers = {}, body }: PageResponse): void {
  ctx.status = status;
  for (const [name, value] of Object.entries(PROTECTION)) ctx.set(name, value);
  for (const [name, value] of Object.entries(headers))
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  if (body === undefined) ctx.body = null;
  else {
    if (ctx.res.getHeader('Content-Type') === undefined) ctx.set('Content-Type', 'text/html; charset=utf-8');
    ctx.body = body;
  }
  // Without a body, Koa changes any status to 204.
  ctx.status = status;
}

/** Parses a Cookie header: pairs separated by `; ` (RFC 6265, section 5.4). */
function cookiesOf(header: string | undefined): ReadonlyMap<string, string> {
  const pairs = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
  return new Map(pairs.toReversed()); // for duplicate names, the first pair wins
}
