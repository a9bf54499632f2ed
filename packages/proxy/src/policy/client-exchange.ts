import type { ClientExchange, ClientRequest } from '@portolan/plugin-api';
import type { ClientPrograms } from './client-programs.ts';
import { headerOf, type RequestContext } from '../request-state.ts';

/** A request as policies see it: a copy, since headers are changed on their way to a server. */
export function clientRequestOf(
  ctx: RequestContext,
  receivedAt: Date,
  programs?: ClientPrograms,
): ClientRequest {
  const { state } = ctx;
  return Object.freeze({
    method: ctx.method,
    path: ctx.path,
    query: ctx.querystring,
    headers: Object.freeze({ ...ctx.req.headers }),
    remoteAddress: ctx.req.socket.remoteAddress ?? '',
    remotePort: ctx.req.socket.remotePort,
    httpVersion: ctx.req.httpVersion,
    receivedAt,
    get caller() {
      return state.caller;
    },
    get program() {
      return programs?.programOf(ctx);
    },
  });
}

/** The surroundings of every message of a request; undefined where no policy has looked at it. */
export function surroundingsOf(ctx: RequestContext): Omit<ClientExchange, 'message'> | undefined {
  const { request, caller, era, isBatch } = ctx.state;
  if (request === undefined) return undefined;
  const sessionId = headerOf(ctx, 'Mcp-Session-Id');
  return {
    request,
    caller,
    era: era === undefined ? undefined : era.era === 'legacy' ? 'legacy' : 'modern',
    // Of what describes itself, a session is none, whatever a header says.
    sessionId: era === undefined || era.era === 'legacy' ? sessionId : undefined,
    isBatch,
  };
}
