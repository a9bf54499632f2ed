import type { Attributes, Span, Tracer } from '@portolan/plugin-api';
import { knownMethod } from '../request/known-method.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

const MAX_USER_AGENT_LENGTH = 256;

/**
 * The whole request as a span, below the one that its sender names (`traceparent`).
 * It is called by its route, never by its path, and holds neither query nor body
 * nor token. Only failures of the server count as failed.
 */
export function traceRequest(tracer: Tracer): Middleware {
  return (ctx, next) => {
    const { traceparent, tracestate } = ctx.req.headers;
    const name = knownMethod(ctx.method);
    return tracer.trace(
      // Both are single texts, or lists of them, as Node hands out headers that it does not know.
      { name, kind: 'server', parent: { traceparent: textOf(traceparent), tracestate: textOf(tracestate) } },
      async (span) => {
        ctx.state.span = span;
        await next();
        if (span.ids !== undefined) describe(span, ctx);
      },
    );
  };
}

function describe(span: Span, ctx: RequestContext): void {
  const { state, res } = ctx;
  const { route, errorCode } = state;
  const status = res.statusCode;
  if (route !== undefined) span.rename(`${knownMethod(ctx.method)} ${route.path}`);
  span.set(attributesOf(ctx, status));
  if (status >= 500) span.fail(errorCode ?? 'ERR_INTERNAL');
  else if (errorCode !== undefined) span.set({ 'error.type': errorCode });
}

function attributesOf({ method, req, state }: RequestContext, status: number): Attributes {
  const { route, path, forwarded, registry, requestId } = state;
  const { 'user-agent': userAgent } = req.headers;
  const { address = req.socket.remoteAddress } = forwarded ?? {};
  return {
    'http.request.method': knownMethod(method),
    'http.response.status_code': status,
    'network.protocol.version': req.httpVersion,
    'portolan.request.id': requestId,
    // A path that leads nowhere may be anything, a token that was put in the wrong place among them.
    ...(route === undefined ? {} : { 'http.route': route.path, 'url.path': path }),
    ...(registry === undefined ? {} : { 'portolan.registry.name': registry.name }),
    ...(address === undefined ? {} : { 'client.address': address }),
    ...(userAgent === undefined ? {} : { 'user_agent.original': userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
