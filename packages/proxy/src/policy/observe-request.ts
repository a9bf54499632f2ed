import { isEventStreamType } from '@portolan/mcp-protocol';
import type { ClientMessage, ClientRequest } from '@portolan/plugin-api';
import type Koa from 'koa';
import type { Middleware, RequestContext, RequestState } from '../request/request-state.ts';
import { clientRequestOf } from './client-exchange.ts';
import { ClientPrograms } from './client-programs.ts';
import { isPromise } from './is-promise.ts';
import { viewOf } from './message-view.ts';
import { keepRefusals } from '../request/note-refusal.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';
import type { Policy } from './policy.ts';
import { watchResponse } from './watch-response.ts';

/**
 * Observes every request, including refused ones. A request of the supervisor that bypasses the middleware gets no
 * `state.request`, so that no later step judges it or its response.
 */
export function observeRequest(policy: Policy, clock: () => Date): Middleware {
  const observers = policy.all.filter(
    ({ placed, instance }) => placed === 'observe' && instance.onRequest !== undefined,
  );
  const programs = new ClientPrograms();
  return (ctx, next) => {
    if (bypassesMiddleware(ctx)) return next();
    const startedAt = performance.now();
    const request = clientRequestOf(ctx, clock(), programs);
    // Koa creates a state object for each request.
    const { state, res } = ctx;
    state.request = request;
    keepRefusals(request, state);
    const watched = watchResponse(res, ({ status, contentType, sessionId }) => {
      programs.begun(ctx, { status, sessionId });
      const isStream = isEventStreamType(contentType);
      const durationMs = performance.now() - startedAt;
      policy.begun(() => ({ status, isStream, durationMs, messages: messagesOf(state) }), request);
    });
    res.once('close', () => {
      const { refusals } = state;
      const end = {
        status: res.headersSent ? res.statusCode : 0,
        refusedWith: refusals[0]?.code,
        durationMs: performance.now() - startedAt,
        messages: messagesOf(state),
        responseBytes: watched.bytes,
        refusals,
      };
      policy.ended(end, request);
    });
    return askEach(observers, request, next);
  };
}

/** Returns whether this is a request of the supervisor that no middleware sees. */
export function bypassesMiddleware({ state: { ownRequest } }: RequestContext): boolean {
  return ownRequest?.bypassesMiddleware === true;
}

function askEach(
  middleware: readonly PlacedProxyMiddleware[],
  request: ClientRequest,
  next: Koa.Next,
): Promise<unknown> {
  for (const [at, { instance }] of middleware.entries()) {
    const asking = instance.onRequest?.(request);
    if (isPromise(asking))
      return Promise.resolve(asking).then(() => askEach(middleware.slice(at + 1), request, next));
  }
  return next();
}

function messagesOf({ messages }: RequestState): readonly ClientMessage[] {
  return messages.map(({ message, view }) => view ?? viewOf(message));
}

export function limitRequest(policy: Policy): Middleware {
  const limits = policy.all.filter(
    ({ placed, instance }) => placed !== 'observe' && instance.onRequest !== undefined,
  );
  return ({ state: { request } }, next) => (request === undefined ? next() : askEach(limits, request, next));
}
