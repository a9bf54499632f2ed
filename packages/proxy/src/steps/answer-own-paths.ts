import { methodNotPossible } from '../errors.ts';
import type { HealthReport } from '../health/health-report.ts';
import type { Middleware } from '../request-state.ts';

/** Paths that are the proxy's own, whatever stands behind it: none of them reaches a server. */
export function answerOwnPaths(readHealth: () => HealthReport): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/health' && ctx.path !== '/metrics' && !ctx.path.startsWith('/.well-known/')) {
      return next();
    }
    ctx.set('Cache-Control', 'no-store');
    if (ctx.path !== '/health') {
      // JSON, so that clients that look for an authorization server can read it.
      ctx.status = 404;
      ctx.body =
        ctx.path === '/metrics'
          ? { error: 'not_found', error_description: 'Metrics are not enabled for this workload.' }
          : { error: 'not_found' };
      return undefined;
    }
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD');
      throw methodNotPossible(ctx.method, ['GET', 'HEAD']);
    }
    const report = readHealth();
    ctx.status = report.status === 'unhealthy' ? 503 : 200;
    ctx.body = report;
    return undefined;
  };
}
