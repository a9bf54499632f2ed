import { randomUUID } from 'node:crypto';
import { createRequestState, type Middleware } from '../request-state.ts';

/** What a request id of a client may look like to be taken over: it goes into logs and headers. */
const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives the request the id its sender chose, or a new one, tells it back, and starts its clock. */
export const assignRequestId: Middleware = (ctx, next) => {
  const given = ctx.req.headers['x-request-id'];
  const requestId = typeof given === 'string' && SANE.test(given) ? given : randomUUID();
  ctx.state = createRequestState(requestId, performance.now());
  ctx.res.setHeader('X-Request-Id', requestId);
  return next();
};
