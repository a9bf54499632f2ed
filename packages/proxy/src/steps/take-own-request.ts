import { OWN_REQUEST_HEADER, type OwnRequest, type OwnRequests } from '@portolan/mcp-protocol';
import { callerUnknown } from '../errors/request-errors.ts';
import { headerOf, type Middleware, type RequestContext } from '../request/request-state.ts';

const HEADER = OWN_REQUEST_HEADER.toLowerCase();

/**
 * Recognizes the supervisor's own requests by a one-time key in a header. Removes the header, so that no
 * later step sees the key. The key is used up even if the request does not match it.
 */
export function takeOwnRequest(ownRequests: OwnRequests | undefined): Middleware {
  return (ctx, next) => {
    const { headers } = ctx.req;
    const key = headers[HEADER];
    if (key === undefined) return next();
    delete headers[HEADER];
    const request = ownRequests?.take(String(key));
    if (request !== undefined && fits(request, ctx)) ctx.state.ownRequest = request;
    return next();
  };
}

function fits({ method, target, session }: OwnRequest, ctx: RequestContext): boolean {
  return method === ctx.method && target === ctx.req.url && session === headerOf(ctx, 'Mcp-Session-Id');
}

/** Refuses a request of the supervisor whose body differs from the body that its key is for. */
export const checkOwnBody: Middleware = ({ state: { ownRequest, body } }, next) => {
  if (ownRequest !== undefined && (body?.toString() ?? '') !== (ownRequest.body ?? '')) throw callerUnknown();
  return next();
};
