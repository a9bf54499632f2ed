import { readForwarded } from '../listen/read-forwarded.ts';
import { TrustedProxies } from '../listen/trusted-proxies.ts';
import type { Middleware } from '../request/request-state.ts';

/** Records what trusted proxies report about the request: its sender and its address. */
export function believeProxies(trusted: readonly string[]): Middleware | undefined {
  const proxies = new TrustedProxies(trusted);
  if (proxies.isEmpty) return undefined;
  return (ctx, next) => {
    const { remoteAddress = '' } = ctx.req.socket;
    ctx.state.forwarded = readForwarded(remoteAddress, ctx.req.headers, proxies);
    return next();
  };
}
