import type { Middleware } from '../request/request-state.ts';
import { isCrossOrigin } from './allow-origins.ts';

/** Headers that keep browsers from reading an answer as something else, or into pages it is not meant for. */
export function protectResponse(corsEnabled: boolean): Middleware {
  return (ctx, next) => {
    ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
    const crossOrigin = corsEnabled && isCrossOrigin(ctx.state.path);
    ctx.res.setHeader('Cross-Origin-Resource-Policy', crossOrigin ? 'cross-origin' : 'same-origin');
    return next();
  };
}
