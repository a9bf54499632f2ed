import { HOST } from '../listen/request-target.ts';
import type { RequestContext } from '../request/request-state.ts';

/**
 * The address clients reach this server at, without a slash at its end: the
 * configured one, else what the request itself was sent to, as far as a trusted
 * proxy tells more than the request does.
 */
export function baseUrl(ctx: RequestContext, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return withoutSlash(publicUrl);
  const { scheme = 'http', host = ctx.req.headers.host ?? '', prefix = '' } = ctx.state.forwarded ?? {};
  // Anything that is no host is not repeated in an answer.
  if (HOST.test(host)) return `${scheme}://${host}${prefix}`;
  const { localAddress = 'localhost', localPort = 80 } = ctx.req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/**
 * Where a path of this server is, for answers that need no host: below the
 * configured address, else below what a trusted proxy says stood before the path.
 */
export function addressOf(ctx: RequestContext, publicUrl: string | undefined, path: string): string {
  return `${publicUrl === undefined ? (ctx.state.forwarded?.prefix ?? '') : withoutSlash(publicUrl)}${path}`;
}

/** Base address of one registry, as clients are configured with it. */
export function registryUrl(base: string, name: string): string {
  return `${base}/registry/${encodeURIComponent(name)}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
