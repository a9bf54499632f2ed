import Router from '@koa/router';
import type { Middleware, RequestState } from './request-state.ts';
import { type Route, runSteps } from './route.ts';

interface Mounted {
  readonly path: string;
  readonly route: Route;
}

/**
 * The routers of these routes as one step. A router tries every route it has
 * for every request, so paths of different shape get routers of their own.
 */
export function mountRoutes(routes: readonly Route[]): Middleware {
  const mounted = routes.flatMap((route) =>
    [route.path, ...(route.aliases ?? [])].map((path): Mounted => ({ path, route })),
  );
  const groups = Map.groupBy(mounted, ({ path }) => shapeOf(path));
  const routers = new Map([...groups].map(([shape, members]) => [shape, routerOf(members)]));
  return (ctx, next) => {
    const router = routers.get(shapeOf(ctx.path));
    return router === undefined ? next() : router(ctx, next);
  };
}

function routerOf(members: readonly Mounted[]): Middleware {
  const router = new Router<RequestState, object>({ sensitive: true });
  for (const { path, route } of members) {
    router.get(path.replace(/\{(\w+)\}/g, ':$1'), (ctx) => {
      ctx.state.route = route.path;
      ctx.state.pathText = ctx.params;
      return runSteps(route.steps, ctx);
    });
  }
  // SAFETY: the router itself adds what its context has beyond Koa's.
  return router.routes() as unknown as Middleware;
}

/** Number of segments, of patterns and paths alike; a slash at the end starts none. */
function shapeOf(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) segments += 1;
  return segments;
}
