import type { ServerConfig } from '@portolan/kernel';
import type { Middleware, RequestContext } from '../request/request-state.ts';

const ALLOWED_METHODS = 'GET, OPTIONS';
const ALLOWED_HEADERS = 'Authorization, Content-Type, If-None-Match';
const EXPOSED_HEADERS = 'ETag, WWW-Authenticate, X-Request-Id';
/** How long a browser may remember the answer to a pre-flight, in seconds. */
const MAX_AGE = '600';

/** Paths outside the consumer API that pages of other origins may read. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/registry', '/openapi.json', '/openapi.yaml']);

/** Whether pages of other origins may read this path, as far as the configuration lets them. */
export function isCrossOrigin(path: string): boolean {
  return (
    path.startsWith('/registry/') ||
    OPEN_PATHS.has(path) ||
    path.startsWith('/.well-known/oauth-protected-resource')
  );
}

/**
 * CORS (Fetch standard, section 3.3) on the paths that consumers read: the
 * headers on every answer, refusals included, and pre-flights answered here,
 * before anybody is asked for a token, which browsers do not send with them.
 */
export function allowOrigins({ enabled, allowedOrigins }: ServerConfig['cors']): Middleware {
  const anyone = allowedOrigins.includes('*');
  return (ctx, next) => {
    if (!enabled || !isCrossOrigin(ctx.state.path)) return next();
    const origin = anyone ? '*' : allowedOrigins.find((allowed) => allowed === ctx.req.headers.origin);
    if (!anyone) ctx.vary('Origin');
    if (origin !== undefined) setHeaders(ctx, origin);
    if (ctx.method !== 'OPTIONS') return next();
    ctx.set('Access-Control-Max-Age', MAX_AGE);
    ctx.set('Allow', 'GET, HEAD, OPTIONS');
    ctx.status = 204;
    return Promise.resolve();
  };
}

/** All of them on every answer, as GitHub Copilot asks of registry hosts. */
function setHeaders({ res }: RequestContext, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Methods', ALLOWED_METHODS);
  res.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}
