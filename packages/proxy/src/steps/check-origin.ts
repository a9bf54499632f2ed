import { originNotAllowed } from '../errors/request-errors.ts';
import { withForwardedPort } from '../request/forwarded-port.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import { allowPage } from './allow-page.ts';
import { isOwnName, nameOfHost } from './check-host.ts';

export interface OriginOptions {
  readonly host: string;
  readonly listensOnLoopback: boolean;
  readonly allowedOrigins: readonly string[];
  readonly resourceUrl: URL | undefined;
  readonly trustProxyHeaders: boolean;
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/@?#\s]+$/i;

/** Rejects web pages from unlisted origins. Programs send no origin. */
export function checkOrigin(options: OriginOptions): Middleware {
  const judge = originJudge(options);
  return (ctx, next) => {
    const verdict = judge(ctx);
    if (verdict === 'refused') throw originNotAllowed();
    return verdict === 'listed' ? allowPage(ctx, ctx.get('Origin'), next) : next();
  };
}

export type OriginVerdict = 'none' | 'listed' | 'own' | 'refused';

export function originJudge(options: OriginOptions): (ctx: RequestContext) => OriginVerdict {
  const listed = new Set(options.allowedOrigins.map(normalizeOrigin));
  if (options.resourceUrl !== undefined) listed.add(options.resourceUrl.origin);
  return (ctx) => {
    const origins = originsOf(ctx);
    if (origins.length === 0) return 'none';
    const [origin = ''] = origins;
    if (origins.length > 1 || !ORIGIN.test(origin)) return 'refused';
    const normalized = normalizeOrigin(origin);
    if (listed.has(normalized)) return 'listed';
    return ownOrigins(ctx, options).includes(normalized) ? 'own' : 'refused';
  };
}

/** Returns the values of all Origin headers, because Node.js keeps only the first. */
function originsOf({ req }: RequestContext): readonly string[] {
  if (req.headers.origin === undefined) return NONE;
  return req.rawHeaders.filter(
    (_value, at) => at % 2 === 1 && req.rawHeaders[at - 1]?.toLowerCase() === 'origin',
  );
}

const NONE: readonly string[] = [];

/** Origins of pages that this proxy would have served itself. */
function ownOrigins(ctx: RequestContext, options: OriginOptions): readonly string[] {
  const { localPort } = ctx.req.socket;
  if (options.listensOnLoopback) {
    return ['localhost', '127.0.0.1', '[::1]'].map((host) => normalizeOrigin(`http://${host}:${localPort}`));
  }
  const { host, resourceUrl } = options;
  const name = nameOfHost(ctx.req.headers.host ?? '');
  // Accept only known names: a page can make any other name resolve to this machine.
  const isOurs = name !== undefined && (isOwnName(name) || [host, resourceUrl?.hostname].includes(name));
  if (!isOurs) return [];
  const forwarded = ctx.get('X-Forwarded-Proto').toLowerCase();
  const text = ctx.req.headers.host ?? '';
  if (!options.trustProxyHeaders) return [normalizeOrigin(`http://${text}`)];
  const scheme = forwarded === 'https' ? 'https' : 'http';
  return [normalizeOrigin(`${scheme}://${withForwardedPort(ctx, text)}`)];
}

/** Returns the origin in lower case, without a default port. */
function normalizeOrigin(text: string): string {
  const lower = text.toLowerCase();
  const { origin } = URL.parse(lower) ?? { origin: 'null' };
  // By the URL standard, the URL schemes of editors (such as `vscode-webview:`) have no origin.
  return origin === 'null' ? lower : origin;
}
