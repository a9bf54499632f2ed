import type { GuardedHooks } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { PageTurns } from '../request/page-turns.ts';
import type { Middleware, RequestContext, RequestState } from '../request/request-state.ts';
import { eventOf, targetOf } from './access/access-target.ts';
import { answerError } from './report-errors.ts';

export interface RecordAccessOptions {
  readonly logger: Logger;
  readonly hooks: Pick<GuardedHooks, 'accessDecided'>;
  readonly metrics: ServerMetrics;
  readonly clock: () => Date;
  /**
   * Queue of pages that wait for other requests. Undefined when the server has no pages, or the request was
   * sent by a page.
   */
  readonly turns?: PageTurns | undefined;
}

interface Access {
  readonly state: RequestState;
  readonly method: string;
  readonly status: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly bytes: number;
  readonly remoteAddress: string;
  /** Address and port of the sender, or only the address when a trusted proxy reports it. */
  readonly sender: string;
  readonly forwardedFor: string | undefined;
  readonly userAgent: string | undefined;
}

/**
 * Writes the log line, the audit record and the metrics of a request. Never records the query, which may
 * contain secrets. Runs after the responses of this event loop turn are sent, which costs half as much under
 * load.
 */
export function recordAccess(options: RecordAccessOptions): Middleware {
  const { metrics, clock, turns } = options;
  let waiting: Access[] = [];
  const recordAll = (): void => {
    const accesses = waiting;
    waiting = [];
    for (const access of accesses) record(access, options);
  };
  return async (ctx, next) => {
    metrics.requestStarted(ctx.method);
    turns?.requestBegan();
    try {
      await next();
    } catch (error) {
      // Plugin middleware may fail before the step that handles errors.
      answerError(options.logger, ctx, error);
    } finally {
      turns?.requestEnded();
    }
    if (waiting.length === 0) setImmediate(recordAll);
    waiting.push(accessOf(ctx, clock()));
  };
}

function accessOf(ctx: RequestContext, at: Date): Access {
  const { method, state, req, res } = ctx;
  const { remoteAddress: peer = '', remotePort = 0 } = req.socket;
  const { address: remoteAddress = peer } = state.forwarded ?? {};
  const { 'x-forwarded-for': forwarded, 'user-agent': userAgent } = req.headers;
  return {
    state,
    method,
    status: res.statusCode,
    at,
    durationMs: performance.now() - state.startedMs,
    bytes: bodyBytes(ctx),
    remoteAddress,
    sender: senderOf(remoteAddress, state.forwarded === undefined ? remotePort : undefined),
    forwardedFor: Array.isArray(forwarded) ? forwarded.join(', ') : forwarded,
    userAgent,
  };
}

function senderOf(address: string, port: number | undefined): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

function record(access: Access, { logger, hooks, metrics }: RecordAccessOptions): void {
  const { state, method, status, at, durationMs, remoteAddress } = access;
  const { subject, user } = state.caller ?? {};
  metrics.requestEnded(method, state.route?.path, status, durationMs, state.errorCode);
  logger[levelOf(status)](
    {
      method,
      path: state.path,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      response_bytes: access.bytes,
      request_id: state.requestId,
      ...traceFields(state),
      remote_addr: remoteAddress,
      sub: subject ?? 'anonymous',
      ...(user === undefined ? {} : { user }),
    },
    'request',
  );
  hooks.accessDecided({
    requestId: state.requestId,
    at,
    method,
    route: state.route?.path ?? state.path,
    path: state.path,
    status,
    ...decisionOn(status, state),
    event: eventOf(state.route, status, state.isDryRun),
    target: targetOf(state.route, state.path),
    subject,
    user,
    provider: state.caller?.provider,
    roles: state.caller?.roles ?? [],
    registry: state.registry?.name,
    remoteAddress: access.sender,
    forwardedFor: access.forwardedFor,
    userAgent: access.userAgent,
    durationMs,
    responseBytes: access.bytes,
    requestBody: state.rawBody,
  });
}

/** Returns the ids of trace and span, which lead from a log line to its trace. */
function traceFields({ span }: RequestState): object {
  return span?.ids === undefined ? {} : { trace_id: span.ids.traceId, span_id: span.ids.spanId };
}

/**
 * Returns the log level for a status. Client errors are not log errors, because the audit log contains them.
 */
function levelOf(status: number): 'info' | 'error' {
  return status >= 500 ? 'error' : 'info';
}

function bodyBytes({ method, body, res, response }: RequestContext): number {
  if (method === 'HEAD' || res.statusCode === 304 || res.statusCode === 204) return 0;
  return Buffer.isBuffer(body) ? body.length : (response.length ?? 0);
}

/** Returns the decision of the step that refused, or the one that the status implies. */
function decisionOn(
  status: number,
  { decision, caller }: RequestState,
): { readonly allowed: boolean; readonly because: string } {
  if (decision?.allowed === false) return decision;
  if (status === 401) return { allowed: false, because: 'unauthenticated' };
  if (status === 403) return { allowed: false, because: 'forbidden' };
  if (status === 404) return { allowed: false, because: 'not-found' };
  return decision ?? { allowed: true, because: caller === undefined ? 'public' : 'identified' };
}
