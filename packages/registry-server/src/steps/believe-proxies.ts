import { readForwarded } from '../listen/read-forwarded.ts';
import { TrustedProxies } from '../listen/trusted-proxies.ts';
import type { Middleware } from '../request/request-state.ts';

/** Leaves in the state what proxies that are trusted say of the request: who sent it, and to which address. */
export function believeProxies(trusted: readonly string[]): Middleware | undefined {
  const proxies = new TrustedProxies(trusted);
  if (proxies.isEmpty) return undefined;
  return (ctx, next) => {
    const { remoteAddress = '' } = ctx.req.socket;
    ctx.state.forwarded = readForwarded(remoteAddress, ctx.req.headers, proxies);
    return next();
  };
}
