import type { Middleware } from '../request/request-state.ts';
import { isCrossOrigin } from './allow-origins.ts';

/** Prevents browsers from misinterpreting a response or embedding it. */
export function protectResponse(corsEnabled: boolean): Middleware {
  return (ctx, next) => {
    ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
    const crossOrigin = corsEnabled && isCrossOrigin(ctx.state.path);
    ctx.res.setHeader('Cross-Origin-Resource-Policy', crossOrigin ? 'cross-origin' : 'same-origin');
    return next();
  };
}
