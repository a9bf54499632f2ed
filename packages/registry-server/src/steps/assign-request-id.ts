import { randomBytes } from 'node:crypto';
import { useOriginForm } from '../listen/request-target.ts';
import { createRequestState, type Middleware, type RequestContext } from '../request/request-state.ts';

/** Matches a request id that is accepted from a client, because the id becomes part of logs and headers. */
const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Accepts the client's request id or creates one, returns it in the response, and starts the request's clock.
 */
export function assignRequestId(): Middleware {
  // Unique like a UUID at a tenth of its cost.
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return (ctx, next) => {
    const input = ctx.req.headers['x-request-id'];
    count += 1;
    const requestId =
      typeof input === 'string' && SANE.test(input) ? input : `${process}.${count.toString(36)}`;
    ctx.state = createRequestState(requestId, pathOf(ctx), performance.now());
    ctx.res.setHeader('X-Request-Id', requestId);
    return next();
  };
}

const DOUBLED = /^(\/registry\/[^/]+)(\/.*\/\/.*|\/\/.*)$/;

/**
 * Merges repeated slashes below `/registry/NAME`: editors append `/v0.1/servers` to an address with a
 * trailing slash. A target without a path, which is refused later, only loses its query.
 */
function pathOf(ctx: RequestContext): string {
  const { req } = ctx;
  useOriginForm(req);
  const [, registry, rest] = DOUBLED.exec(req.url?.startsWith('/registry/') ? ctx.path : '') ?? [];
  if (registry !== undefined && rest !== undefined)
    ctx.path = `${registry}${rest.replaceAll(/\/{2,}/g, '/')}`;
  return req.url?.startsWith('/') ? ctx.path : (/^[^?#]*/.exec(req.url ?? '')?.[0] ?? '');
}
