import { createRequire } from 'node:module';
import type KoaRouter from '@koa/router';
import { LRUCache } from 'lru-cache';
import { joinName } from '../parameters/join-name.ts';
import type { Middleware, RequestContext, RequestState } from '../request/request-state.ts';
import { type Route, runSteps } from '../request/route.ts';

// The ESM build of @koa/router imports node:http, which loads the HTTP client of Node.js (12 MB).
const Router = createRequire(import.meta.url)('@koa/router') as typeof KoaRouter;

/** Maximum number of cached paths. */
const MAX_REMEMBERED_PATHS = 1000;
const MAX_PATH_LENGTH = 256;

/** HEAD gets the response of GET without the body. */
const METHODS: Readonly<Record<Route['method'], string[]>> = {
  GET: ['GET', 'HEAD'],
  PUT: ['PUT'],
  POST: ['POST'],
  DELETE: ['DELETE'],
  PATCH: ['PATCH'],
};

interface Mounted {
  readonly path: string;
  readonly route: Route;
}

interface RouteMatch {
  readonly route: Route;
  readonly pathText: Readonly<Record<string, string>>;
}

/** Runs the steps of the matched route, or continues without one. */
export const runRoute: Middleware = (ctx, next) => {
  const { route } = ctx.state;
  return route === undefined ? next() : runSteps(route.steps, ctx);
};

/**
 * Matches the route of a request. A router tries all of its routes, so paths of different shape have separate routers, and
 * results are cached by path.
 */
export function findRoute(routes: readonly Route[]): Middleware {
  const remembered = new LRUCache<string, RouteMatch>({ max: MAX_REMEMBERED_PATHS });
  const tell = ({ state }: RequestContext, match: RouteMatch): void => {
    state.route = match.route;
    state.pathText = match.pathText;
  };
  const routers = createRouters(routes, (ctx, match) => {
    const { path } = ctx.state;
    if (match.route.method === 'GET' && path.length <= MAX_PATH_LENGTH) remembered.set(path, match);
    tell(ctx, match);
  });
  return (ctx, next) => {
    const { path } = ctx.state;
    const match = ctx.method === 'GET' ? remembered.get(path) : undefined;
    if (match !== undefined) {
      tell(ctx, match);
      return next();
    }
    const joined = joinName(path);
    const router = routers.get(shapeOf(joined));
    if (router === undefined) return next();
    // The router reads this property first.
    if (joined !== path) Object.assign(ctx, { newRouterPath: joined });
    return router(ctx, next);
  };
}

type Tell = (ctx: RequestContext, match: RouteMatch) => void;

function createRouters(routes: readonly Route[], tell: Tell): ReadonlyMap<number, Middleware> {
  const mounted = routes.flatMap((route) =>
    [route.path, ...(route.aliases ?? [])].map((path): Mounted => ({ path, route })),
  );
  const groups = Map.groupBy(mounted, ({ path }) => shapeOf(path));
  return new Map([...groups].map(([shape, members]) => [shape, createRouter(members, tell)]));
}

function createRouter(members: readonly Mounted[], tell: Tell): Middleware {
  const router = new Router<RequestState, object>({ sensitive: true });
  for (const { path, route } of members) {
    const handle = (
      ctx: RequestContext & { readonly params: Readonly<Record<string, string>> },
      next: () => Promise<unknown>,
    ) => {
      tell(ctx, { route, pathText: ctx.params });
      return next();
    };
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), METHODS[route.method], handle);
  }
  // SAFETY: the router adds its properties to Koa's context.
  return router.routes() as unknown as Middleware;
}

/** Returns the number of segments of a path. A trailing slash adds none. */
function shapeOf(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1))
    segments += 1;
  return segments;
}
