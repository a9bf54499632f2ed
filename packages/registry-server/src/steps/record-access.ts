import type { AccessDecision } from '@portolan/authorization';
import type { GuardedHooks } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { Middleware, RequestContext, RequestState } from '../request-state.ts';

export interface RecordAccessOptions {
  readonly logger: Logger;
  readonly hooks: Pick<GuardedHooks, 'accessDecided'>;
  readonly metrics: ServerMetrics;
  readonly clock: () => Date;
}

/** One request and how it ended. */
interface Access {
  readonly state: RequestState;
  readonly method: string;
  readonly status: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly bytes: number;
  readonly remoteAddress: string;
}

/**
 * One line in the log, one access record and one measurement for every answer.
 * Never the query: it may hold secrets. They are made when the answers of this
 * turn of the event loop have been sent, which keeps nobody waiting, and costs
 * half as much under load, where one turn answers many.
 */
export function recordAccess(options: RecordAccessOptions): Middleware {
  const { metrics, clock } = options;
  let waiting: Access[] = [];
  const recordAll = (): void => {
    const accesses = waiting;
    waiting = [];
    for (const access of accesses) record(access, options);
  };
  return async (ctx, next) => {
    metrics.requestStarted(ctx.method);
    await next();
    if (waiting.length === 0) setImmediate(recordAll);
    waiting.push(accessOf(ctx, clock()));
  };
}

function accessOf(ctx: RequestContext, at: Date): Access {
  const { method, state, req, res } = ctx;
  return {
    state,
    method,
    status: res.statusCode,
    at,
    durationMs: performance.now() - state.startedMs,
    bytes: bodyBytes(ctx),
    remoteAddress: req.socket.remoteAddress ?? '',
  };
}

function record(access: Access, { logger, hooks, metrics }: RecordAccessOptions): void {
  const { state, method, status, at, durationMs, remoteAddress } = access;
  const subject = state.caller?.subject;
  metrics.requestEnded(method, state.route, status, durationMs, state.errorCode);
  logger[levelOf(status)](
    {
      method,
      path: state.path,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      response_bytes: access.bytes,
      request_id: state.requestId,
      remote_addr: remoteAddress,
      sub: subject ?? 'anonymous',
    },
    'request',
  );
  hooks.accessDecided({
    requestId: state.requestId,
    at,
    method,
    route: state.route ?? state.path,
    path: state.path,
    status,
    ...decisionOn(status, state.decision),
    subject,
    roles: state.caller?.roles ?? [],
    registry: state.registry?.name,
    remoteAddress,
    durationMs,
  });
}

function levelOf(status: number): 'info' | 'warn' | 'error' {
  if (status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

function bodyBytes({ method, body, res, response }: RequestContext): number {
  if (method === 'HEAD' || res.statusCode === 304 || res.statusCode === 204) return 0;
  return Buffer.isBuffer(body) ? body.length : (response.length ?? 0);
}

/** What was decided: by the gate when it refused, else by what the sender was told. */
function decisionOn(status: number, decision: AccessDecision | undefined): AccessDecision {
  if (decision?.allowed === false) return decision;
  if (status === 401) return { allowed: false, because: 'unauthenticated' };
  if (status === 403) return { allowed: false, because: 'forbidden' };
  if (status === 404) return { allowed: false, because: 'not-found' };
  return decision ?? { allowed: true, because: 'public' };
}
