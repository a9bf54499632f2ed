import { methodNotAllowed, routeNotFound } from '../errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

/**
 * What no route took: ERR_METHOD_NOT_ALLOWED where the path exists, else
 * ERR_ROUTE_NOT_FOUND with this hint where to look, which follows from the path alone.
 */
export function refuseUnknown(whereToLook: (path: string) => string): Middleware {
  return (ctx) => {
    const allowed = allowedMethods(ctx);
    if (allowed.length === 0) throw routeNotFound(ctx.state.path, whereToLook(ctx.state.path));
    ctx.set('Allow', allowed.join(', '));
    if (ctx.method !== 'OPTIONS') throw methodNotAllowed(ctx.method, allowed);
    ctx.status = 204;
  };
}

/** Methods of the routes that match the path, as the router found them. */
export function allowedMethods(ctx: RequestContext): readonly string[] {
  const matched = 'matched' in ctx && Array.isArray(ctx.matched) ? ctx.matched : [];
  const methods = new Set(matched.flatMap((layer: { methods: string[] }) => layer.methods));
  return methods.size === 0 ? [] : [...methods, 'OPTIONS'].toSorted();
}
