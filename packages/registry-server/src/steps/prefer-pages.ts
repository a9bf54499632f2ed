import { allowedMethods } from './refuse-unknown.ts';
import type { Middleware } from '../request/request-state.ts';
import type { Route } from '../request/route.ts';

/**
 * Serves a page instead of an API route with the same path to clients that prefer HTML, and the page for
 * unknown addresses.
 */
export function preferPages(
  pages: readonly Route[],
  routes: readonly Route[],
  forUnknown: Route | undefined,
): Middleware | undefined {
  const instead = new Map(
    pages.flatMap((page) => {
      const route = routes.find(({ method, path }) => method === page.method && path === page.path);
      return route === undefined ? [] : [[route.name, page] as const];
    }),
  );
  if (instead.size === 0 && forUnknown === undefined) return undefined;
  return (ctx, next) => {
    const { route } = ctx.state;
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    const isUnknown = route === undefined && isRead && allowedMethods(ctx).length === 0;
    const page = route === undefined ? (isUnknown ? forUnknown : undefined) : instead.get(route.name);
    if (page === undefined) return next();
    ctx.vary('Accept');
    if (ctx.accepts('json', 'html') === 'html') ctx.state.route = page;
    return next();
  };
}
