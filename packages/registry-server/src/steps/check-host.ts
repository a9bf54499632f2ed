import type { ServerConfig } from '@portolan/kernel';
import { isIP } from 'node:net';
import { hostNotAllowed, originNotAllowed } from '../errors.ts';
import { HOST } from '../listen/request-target.ts';
import { TrustedProxies } from '../listen/trusted-proxies.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import type { ServerAccess } from '../request/server-access.ts';
import { isCrossOrigin } from './allow-origins.ts';

export interface HostRules {
  readonly config: Pick<ServerConfig, 'publicUrl' | 'trustedProxies' | 'cors'>;
  readonly listensOnLoopback: () => boolean;
  readonly access: () => Pick<ServerAccess, 'provider'>;
}

/**
 * Refuses a Host that a web page could have pointed at this server (DNS rebinding). A loopback listener
 * checks every path. In anonymous mode, other listeners check every path except reads of the consumer API,
 * because services reach those by names that the configuration does not contain. Accepts IP addresses,
 * `localhost`, the host of `server.publicUrl`, and every request of a trusted proxy. Throws
 * ERR_HOST_NOT_ALLOWED.
 */
export function checkHost({ config, listensOnLoopback, access }: HostRules): Middleware {
  const proxies = new TrustedProxies(config.trustedProxies);
  const publicName = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).hostname;
  return (ctx, next) => {
    const { host } = ctx.req.headers;
    // `checkPath` refuses a missing Host.
    if (host === undefined || isAllowedName(host, publicName)) return next();
    if (!listensOnLoopback() && (identifiesCallers(access()) || isConsumerRead(ctx))) return next();
    if (proxies.includes(ctx.req.socket.remoteAddress ?? '')) return next();
    throw hostNotAllowed(host);
  };
}

/**
 * Refuses requests of web pages from another host, except for reads that `server.cors` allows. The own host
 * is that of the request, of `server.publicUrl`, or the one that a trusted proxy reports. Throws
 * ERR_ORIGIN_NOT_ALLOWED.
 */
export function checkOrigin({ config }: Pick<HostRules, 'config'>): Middleware {
  const { cors, publicUrl } = config;
  return (ctx, next) => {
    const { origin } = ctx.req.headers;
    if (origin === undefined || isOwnOrigin(ctx, origin, publicUrl)) return next();
    const isListed = cors.allowedOrigins.includes('*') || cors.allowedOrigins.includes(origin);
    if (cors.enabled && isListed && isConsumerRead(ctx)) return next();
    throw originNotAllowed(origin);
  };
}

function identifiesCallers({ provider }: Pick<ServerAccess, 'provider'>): boolean {
  return provider?.kind.identifies === true;
}

/** Returns whether a request reads the consumer API or one of its descriptions. */
function isConsumerRead({ method, state }: RequestContext): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method) && isCrossOrigin(state.path);
}

function isAllowedName(host: string, publicName: string | undefined): boolean {
  const name = HOST.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined;
  if (name === undefined) return false;
  const bare = name.startsWith('[') ? name.slice(1, -1) : name;
  return name === 'localhost' || name === publicName || isIP(bare) !== 0;
}

/**
 * Returns whether a request comes from a page of this server. Browsers send the origin `null` for forms of
 * pages with `Referrer-Policy: no-referrer`; then `Sec-Fetch-Site` decides, which only browsers can set.
 */
function isOwnOrigin({ req, state }: RequestContext, origin: string, publicUrl: string | undefined): boolean {
  if (origin === 'null') return req.headers['sec-fetch-site'] === 'same-origin';
  const page = URL.parse(origin);
  if (page === null || (page.protocol !== 'http:' && page.protocol !== 'https:')) return false;
  if (publicUrl !== undefined && new URL(publicUrl).host === page.host) return true;
  const own = state.forwarded?.host ?? req.headers.host ?? '';
  // The page's scheme determines the port that its host omits.
  return HOST.test(own) && URL.parse(`${page.protocol}//${own}`)?.host === page.host;
}
