import { HOST } from '../listen/request-target.ts';
import type { RequestContext } from '../request/request-state.ts';

/**
 * Returns the configured public address. Without one, returns the address of the request, including what
 * trusted proxies report. It has no trailing slash.
 */
export function baseUrl(ctx: RequestContext, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return withoutSlash(publicUrl);
  const { scheme = 'http', host = ctx.req.headers.host ?? '', prefix = '' } = ctx.state.forwarded ?? {};
  // A response never repeats an invalid host.
  if (HOST.test(host)) return `${scheme}://${host}${prefix}`;
  const { localAddress = 'localhost', localPort = 80 } = ctx.req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/**
 * Returns an address that needs no host: below the configured address, or below the prefix that a trusted
 * proxy reports.
 */
export function addressOf(ctx: RequestContext, publicUrl: string | undefined, path: string): string {
  return `${publicUrl === undefined ? (ctx.state.forwarded?.prefix ?? '') : withoutSlash(publicUrl)}${path}`;
}

/** Returns the base address of a registry, as clients configure it. */
export function registryUrl(base: string, name: string): string {
  return `${base}/registry/${encodeURIComponent(name)}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
