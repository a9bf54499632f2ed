import type { RequestContext } from './request-state.ts';

/** A host with the port that a trusted proxy in front says it was reached at, where the host itself names none. */
export function withForwardedPort(ctx: Pick<RequestContext, 'get'>, host: string): string {
  const port = ctx.get('X-Forwarded-Port');
  return /^[0-9]{1,5}$/.test(port) && !/:[0-9]+$/.test(host) ? `${host}:${port}` : host;
}
