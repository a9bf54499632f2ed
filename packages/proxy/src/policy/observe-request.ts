import type { ClientMessage } from '@portolan/plugin-api';
import type { Middleware } from '../request-state.ts';
import { clientRequestOf } from './client-exchange.ts';
import type { Policy } from './policy.ts';

/** Begins and ends every request for those who observe, refused ones included. */
export function observeRequest(policy: Policy, clock: () => Date): Middleware {
  const observers = policy.all.filter(({ placed }) => placed === 'observe');
  return async (ctx, next) => {
    const begun = performance.now();
    const request = clientRequestOf(ctx, clock());
    // Koa makes the state anew for each request, and reportErrors fills it: this one lives as long as the request.
    const { state, res } = ctx;
    state.request = request;
    res.once('close', () => {
      const end = {
        status: res.headersSent ? res.statusCode : 0,
        refusedWith: state.refusedWith,
        durationMs: performance.now() - begun,
        messages: state.messages.flatMap(({ view }): ClientMessage[] => (view === undefined ? [] : [view])),
      };
      policy.ended(end, request);
    });
    for (const { instance } of observers) await instance.onRequest?.(request);
    await next();
  };
}

/** Asks all others whether a request may be read at all. */
export function limitRequest(policy: Policy): Middleware {
  const limits = policy.all.filter(
    ({ placed, instance }) => placed !== 'observe' && instance.onRequest !== undefined,
  );
  return async ({ state }, next) => {
    const { request } = state;
    if (request !== undefined) for (const { instance } of limits) await instance.onRequest?.(request);
    await next();
  };
}
