import type { RequestContext } from './request-state.ts';

/** Returns the host, with the port of the trusted reverse proxy (`X-Forwarded-Port`) if the host has none. */
export function withForwardedPort(ctx: Pick<RequestContext, 'get'>, host: string): string {
  const port = ctx.get('X-Forwarded-Port');
  return /^[0-9]{1,5}$/.test(port) && !/:[0-9]+$/.test(host) ? `${host}:${port}` : host;
}
