import type { ServedPathRow } from '../request/service.ts';
import { methodNotPossible, originNotAllowed } from '../errors/request-errors.ts';
import type { HealthReport } from '../health/health-report.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import { checkHost, type HostOptions } from './check-host.ts';
import { type OriginOptions, originJudge } from './check-origin.ts';

export interface OwnPathGuards {
  readonly hosts: HostOptions;
  readonly origins: OriginOptions;
}

/**
 * Serves the proxy's own paths by the first matching row. Applies the same host and origin checks as for the
 * server's paths.
 */
export function serveOwnPaths(rows: readonly ServedPathRow[], { hosts, origins }: OwnPathGuards): Middleware {
  const check = checkHost(hosts);
  const judge = originJudge(origins);
  return (ctx, next) => {
    const row = isOwnPath(ctx.path) ? rows.find(({ path }) => covers(path, ctx.path)) : undefined;
    if (row === undefined) return next();
    ctx.set('Cache-Control', 'no-store');
    return check(ctx, async () => {
      if (judge(ctx) === 'refused') throw originNotAllowed();
      await serveRow(row, ctx);
    });
  };
}

async function serveRow({ methods, respond }: ServedPathRow, ctx: RequestContext): Promise<void> {
  if (methods !== undefined && !methods.includes(ctx.method)) {
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  }
  await respond(ctx);
}

/** Returns whether a path is reserved for the proxy, even if the proxy serves nothing there. */
export function isOwnPath(path: string): boolean {
  return path === '/health' || path === '/metrics' || path.startsWith('/.well-known/');
}

export function covers(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return path === pattern;
  const stem = pattern.slice(0, -2);
  return path === stem || path.startsWith(`${stem}/`);
}

/** Serves the health report. This row precedes the rows of middleware, which therefore cannot replace it. */
export function healthPath(readHealth: () => HealthReport): ServedPathRow {
  return {
    path: '/health',
    methods: ['GET', 'HEAD'],
    respond: (ctx) => {
      const report = readHealth();
      ctx.status = report.status === 'unhealthy' ? 503 : 200;
      ctx.body = report;
    },
  };
}

/**
 * Rows that respond with 404 where nothing serves metrics or metadata. The body is JSON, which clients that
 * look for an authorization server can parse.
 */
export const EMPTY_PATHS: readonly ServedPathRow[] = [
  {
    path: '/metrics',
    respond: (ctx) => {
      ctx.status = 404;
      ctx.body = {
        error: 'not_found',
        error_description: 'Metrics are not enabled for this workload.',
      };
    },
  },
  {
    path: '/.well-known/*',
    respond: (ctx) => {
      ctx.status = 404;
      ctx.body = { error: 'not_found' };
    },
  },
];
