import type { ClientExchange, ClientRequest, MessageSender } from '@portolan/plugin-api';
import type { ClientPrograms } from './client-programs.ts';
import { headerOf, type RequestContext } from '../request/request-state.ts';

/**
 * Returns a copy of the request for policies, because the proxy changes the headers on the way to the server.
 */
export function clientRequestOf(
  ctx: RequestContext,
  receivedAt: Date,
  programs?: ClientPrograms,
): ClientRequest {
  return new SeenRequest(ctx, receivedAt, programs);
}

/**
 * A class instead of an object literal with getters: V8 keeps what such getters capture until its next full
 * collection.
 */
class SeenRequest implements ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ClientRequest['headers'];
  readonly remoteAddress: string;
  readonly remotePort: number | undefined;
  readonly httpVersion: string;
  readonly receivedAt: Date;
  readonly #ctx: RequestContext;
  readonly #state: RequestContext['state'];
  readonly #programs: ClientPrograms | undefined;

  constructor(ctx: RequestContext, receivedAt: Date, programs: ClientPrograms | undefined) {
    const { method, path, querystring, state, req } = ctx;
    this.method = method;
    this.path = path;
    this.query = querystring;
    this.headers = Object.freeze({ ...req.headers });
    this.remoteAddress = req.socket.remoteAddress ?? '';
    this.remotePort = req.socket.remotePort;
    this.httpVersion = req.httpVersion;
    this.receivedAt = receivedAt;
    this.#ctx = ctx;
    this.#state = state;
    this.#programs = programs;
    Object.freeze(this);
  }

  get caller(): ClientRequest['caller'] {
    return this.#state.caller;
  }

  get program(): ClientRequest['program'] {
    return this.#programs?.programOf(this.#ctx);
  }
}

/**
 * Returns what policies learn about a message besides its text. Undefined when no policy has seen the
 * request.
 */
export function contextOf(ctx: RequestContext): Omit<ClientExchange, 'message'> | undefined {
  const { request, caller, era, isBatch } = ctx.state;
  if (request === undefined) return undefined;
  const sessionId = headerOf(ctx, 'Mcp-Session-Id');
  return {
    request,
    caller,
    era: era === undefined ? undefined : era.era === 'legacy' ? 'legacy' : 'modern',
    // Modern requests have no session, even with a session header.
    sessionId: era === undefined || era.era === 'legacy' ? sessionId : undefined,
    isBatch,
  };
}

/** Returns who sent the messages of a request, for servers that serve each caller separately. */
export function senderOf(ctx: RequestContext): MessageSender {
  return { owner: ctx.state.owner, exchange: contextOf(ctx) };
}
