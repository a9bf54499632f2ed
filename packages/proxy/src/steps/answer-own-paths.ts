import { methodNotPossible } from '../errors/request-errors.ts';
import type { HealthReport } from '../health/health-report.ts';
import type { Middleware, RequestContext } from '../request-state.ts';

/** A path of the proxy itself: none of them reaches a server. */
export interface OwnPathRow {
  /** Ends in `/*` for itself and everything below. */
  readonly path: string;
  /** Left out: any. */
  readonly methods?: readonly string[];
  readonly answer: (ctx: RequestContext) => void | Promise<void>;
}

/** Answers the paths of a table; the first row that is for a path has it. */
export function answerOwnPaths(rows: readonly OwnPathRow[]): Middleware {
  return (ctx, next) => {
    const row = isOwnPath(ctx.path) ? rows.find(({ path }) => covers(path, ctx.path)) : undefined;
    if (row === undefined) return next();
    const { methods } = row;
    ctx.set('Cache-Control', 'no-store');
    if (methods !== undefined && !methods.includes(ctx.method)) {
      ctx.set('Allow', methods.join(', '));
      throw methodNotPossible(ctx.method, methods);
    }
    return row.answer(ctx);
  };
}

/** Whether a path is the proxy's own, whether anything is behind it or not. */
export function isOwnPath(path: string): boolean {
  return path === '/health' || path === '/metrics' || path.startsWith('/.well-known/');
}

export function covers(pattern: string, path: string): boolean {
  if (!pattern.endsWith('/*')) return path === pattern;
  const stem = pattern.slice(0, -2);
  return path === stem || path.startsWith(`${stem}/`);
}

/** The rows of every proxy. Those of policies come between them: health is never theirs. */
export function healthPath(readHealth: () => HealthReport): OwnPathRow {
  return {
    path: '/health',
    methods: ['GET', 'HEAD'],
    answer: (ctx) => {
      const report = readHealth();
      ctx.status = report.status === 'unhealthy' ? 503 : 200;
      ctx.body = report;
    },
  };
}

/** What is there while nobody has anything to say: JSON, so that clients that look for an authorization server can read it. */
export const EMPTY_PATHS: readonly OwnPathRow[] = [
  {
    path: '/metrics',
    answer: (ctx) => {
      ctx.status = 404;
      ctx.body = {
        error: 'not_found',
        error_description: 'Metrics are not enabled for this workload.',
      };
    },
  },
  {
    path: '/.well-known/*',
    answer: (ctx) => {
      ctx.status = 404;
      ctx.body = { error: 'not_found' };
    },
  },
];
