import { HOST } from '../listen/request-target.ts';
import type { RequestContext } from '../request/request-state.ts';

/**
 * The address clients reach this server at, without a slash at its end: the
 * configured one, else what the request itself was sent to.
 */
export function baseUrl(ctx: RequestContext, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const host = ctx.req.headers.host ?? '';
  // Anything that is no host is not repeated in an answer.
  if (HOST.test(host)) return `http://${host}`;
  const { localAddress = 'localhost', localPort = 80 } = ctx.req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Base address of one registry, as clients are configured with it. */
export function registryUrl(base: string, name: string): string {
  return `${base}/registry/${encodeURIComponent(name)}`;
}
