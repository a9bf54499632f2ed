import { methodNotAllowed, routeNotFound } from '../errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

/**
 * Refuses a request without a route: ERR_METHOD_NOT_ALLOWED when the path exists, otherwise
 * ERR_ROUTE_NOT_FOUND with the hint of `whereToLook`.
 */
export function refuseUnknown(whereToLook: (ctx: RequestContext) => Promise<string>): Middleware {
  return async (ctx) => {
    const allowed = allowedMethods(ctx);
    if (allowed.length === 0) throw routeNotFound(ctx.state.path, await whereToLook(ctx));
    ctx.set('Allow', allowed.join(', '));
    if (ctx.method !== 'OPTIONS') throw methodNotAllowed(ctx.method, allowed);
    ctx.status = 204;
  };
}

/** Returns the methods of the routes that match the path. */
export function allowedMethods(ctx: RequestContext): readonly string[] {
  const matched = 'matched' in ctx && Array.isArray(ctx.matched) ? ctx.matched : [];
  const methods = new Set(matched.flatMap((layer: { methods: string[] }) => layer.methods));
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].toSorted();
}
