import type { Middleware } from '../request/request-state.ts';
import { isCrossOrigin } from './allow-origins.ts';

/** Sets headers that prevent browsers from misinterpreting a response or embedding it in other pages. */
export function protectResponse(corsEnabled: boolean): Middleware {
  return (ctx, next) => {
    ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
    const crossOrigin = corsEnabled && isCrossOrigin(ctx.state.path);
    ctx.res.setHeader('Cross-Origin-Resource-Policy', crossOrigin ? 'cross-origin' : 'same-origin');
    return next();
  };
}
