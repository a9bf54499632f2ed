import type { RequestContext } from '../request-state.ts';

/** Host and port as they may stand in a Host header; anything else is not repeated in an answer. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;

/**
 * The address clients reach this server at, without a slash at its end: the
 * configured one, else what the request itself was sent to.
 */
export function baseUrl(ctx: RequestContext, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const host = ctx.req.headers.host ?? '';
  if (HOST.test(host)) return `http://${host}`;
  const { localAddress = 'localhost', localPort = 80 } = ctx.req.socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Base address of one registry, as clients are configured with it. */
export function registryUrl(base: string, name: string): string {
  return `${base}/registry/${encodeURIComponent(name)}`;
}
