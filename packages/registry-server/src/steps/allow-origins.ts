import type { ServerConfig } from '@portolan/kernel';
import type { Middleware, RequestContext } from '../request/request-state.ts';

const ALLOWED_METHODS = 'GET, OPTIONS';
const ALLOWED_HEADERS = 'Authorization, Content-Type, If-None-Match';
const EXPOSED_HEADERS = 'ETag, WWW-Authenticate, X-Request-Id';
/** Seconds for which a browser may cache a preflight response. */
const MAX_AGE = '600';

/** Paths outside the consumer API that pages of other origins may read. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/registry', '/openapi.json', '/openapi.yaml']);

/** Returns whether pages of other origins may read this path, subject to the configuration. */
export function isCrossOrigin(path: string): boolean {
  return (
    path.startsWith('/registry/') ||
    OPEN_PATHS.has(path) ||
    path.startsWith('/.well-known/oauth-protected-resource')
  );
}

/**
 * Implements CORS (Fetch standard, section 3.3). Headers are on every response, errors included. Preflights
 * get a response before authentication, because browsers send no token with them.
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

/** GitHub Copilot requires all headers on every response of a registry host. */
function setHeaders({ res }: RequestContext, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Methods', ALLOWED_METHODS);
  res.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}
