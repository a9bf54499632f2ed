import { createRequire } from 'node:module';
import type KoaRouter from '@koa/router';
import { LRUCache } from 'lru-cache';
import { joinName } from '../parameters/join-name.ts';
import type { Middleware, RequestContext, RequestState } from '../request/request-state.ts';
import { type Route, runSteps } from '../request/route.ts';

// Not by an import, for the reason that node-http.ts gives: the module form of this library imports node:http.
const Router = createRequire(import.meta.url)('@koa/router') as typeof KoaRouter;

/** Most paths whose route is remembered, and the longest of them. */
const MAX_REMEMBERED_PATHS = 1000;
const MAX_PATH_LENGTH = 256;

/** What a router is told; HEAD is answered as GET is, without the body. */
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

/** What the router found for a path. */
interface Found {
  readonly route: Route;
  readonly pathText: Readonly<Record<string, string>>;
}

/** Runs the steps of the route that was found; goes on where there is none. */
export const runRoute: Middleware = (ctx, next) => {
  const { route } = ctx.state;
  return route === undefined ? next() : runSteps(route.steps, ctx);
};

/**
 * Says which of these routes the request is for, and goes on where there is none: the routers of all of them as one step.
 * A router tries every route it has for every request, so paths of different shape
 * get routers of their own, and what was found for a path is remembered: it
 * depends on nothing else.
 */
export function findRoute(routes: readonly Route[]): Middleware {
  const remembered = new LRUCache<string, Found>({ max: MAX_REMEMBERED_PATHS });
  const tell = ({ state }: RequestContext, found: Found): void => {
    state.route = found.route;
    state.pathText = found.pathText;
  };
  const routers = createRouters(routes, (ctx, found) => {
    const { path } = ctx.state;
    if (found.route.method === 'GET' && path.length <= MAX_PATH_LENGTH) remembered.set(path, found);
    tell(ctx, found);
  });
  return (ctx, next) => {
    const { path } = ctx.state;
    const found = ctx.method === 'GET' ? remembered.get(path) : undefined;
    if (found !== undefined) {
      tell(ctx, found);
      return next();
    }
    const joined = joinName(path);
    const router = routers.get(shapeOf(joined));
    if (router === undefined) return next();
    // The router looks here first.
    if (joined !== path) Object.assign(ctx, { newRouterPath: joined });
    return router(ctx, next);
  };
}

type Tell = (ctx: RequestContext, found: Found) => void;

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
  // SAFETY: the router itself adds what its context has beyond Koa's.
  return router.routes() as unknown as Middleware;
}

/** Number of segments, of patterns and paths alike; a slash at the end starts none. */
function shapeOf(path: string): number {
  let segments = 0;
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1))
    segments += 1;
  return segments;
}
