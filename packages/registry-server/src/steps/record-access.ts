import type { AccessDecision } from '@portolan/authorization';
import type { GuardedHooks } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { Middleware, RequestContext } from '../request-state.ts';

export interface RecordAccessOptions {
  readonly logger: Logger;
  readonly hooks: Pick<GuardedHooks, 'accessDecided'>;
  readonly metrics: ServerMetrics;
  readonly clock: () => Date;
}

/** One line in the log, one access record and one measurement for every answer. Never the query: it may hold secrets. */
export function recordAccess({ logger, hooks, metrics, clock }: RecordAccessOptions): Middleware {
  return async (ctx, next) => {
    metrics.requestStarted(ctx.method);
    await next();
    const { method, path, status, state } = ctx;
    const durationMs = performance.now() - state.startedMs;
    const remoteAddress = ctx.req.socket.remoteAddress ?? '';
    const subject = state.caller?.subject;
    metrics.requestEnded(method, state.route, status, durationMs, state.errorCode);
    logger[levelOf(status)](
      {
        method,
        path,
        status,
        duration_ms: Math.round(durationMs * 1000) / 1000,
        response_bytes: bodyBytes(ctx),
        request_id: state.requestId,
        remote_addr: remoteAddress,
        sub: subject ?? 'anonymous',
      },
      'request',
    );
    hooks.accessDecided({
      requestId: state.requestId,
      at: clock(),
      method,
      route: state.route ?? path,
      path,
      status,
      ...decisionOn(status, state.decision),
      subject,
      roles: state.caller?.roles ?? [],
      registry: state.registry?.name,
      remoteAddress,
      durationMs,
    });
  };
}

function levelOf(status: number): 'info' | 'warn' | 'error' {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

function bodyBytes(ctx: RequestContext): number {
  if (ctx.method === 'HEAD' || ctx.status === 304 || ctx.status === 204) return 0;
  const { body } = ctx;
  if (Buffer.isBuffer(body)) return body.length;
  return ctx.response.length ?? 0;
}

/** What was decided: by the gate when it refused, else by what the sender was told. */
function decisionOn(status: number, decision: AccessDecision | undefined): AccessDecision {
  if (decision?.allowed === false) return decision;
  if (status === 401) return { allowed: false, because: 'unauthenticated' };
  if (status === 403) return { allowed: false, because: 'forbidden' };
  if (status === 404) return { allowed: false, because: 'not-found' };
  return decision ?? { allowed: true, because: 'public' };
}
