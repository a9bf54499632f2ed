import type { RequestContext } from './request-state.ts';

/** Adds the `X-Forwarded-Port` of a trusted reverse proxy if the host has no port. */
export function withForwardedPort(ctx: Pick<RequestContext, 'get'>, host: string): string {
  const port = ctx.get('X-Forwarded-Port');
  return /^[0-9]{1,5}$/.test(port) && !/:[0-9]+$/.test(host) ? `${host}:${port}` : host;
}
