import type { Attributes, Span, Tracer } from '@portolan/plugin-api';
import { knownMethod } from '../request/known-method.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';

const MAX_USER_AGENT_LENGTH = 256;

/**
 * Continues the client's trace (`traceparent`). The span is named by the route, never by the path, and
 * contains no query, body or token. Only server failures mark it as failed.
 */
export function traceRequest(tracer: Tracer): Middleware {
  return (ctx, next) => {
    const { traceparent, tracestate } = ctx.req.headers;
    const name = knownMethod(ctx.method);
    return tracer.trace(
      // Both headers may be strings or lists of strings.
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
    // A path without a route may contain anything, even a misplaced token.
    ...(route === undefined ? {} : { 'http.route': route.path, 'url.path': path }),
    ...(registry === undefined ? {} : { 'portolan.registry.name': registry.name }),
    ...(address === undefined ? {} : { 'client.address': address }),
    ...(userAgent === undefined ? {} : { 'user_agent.original': userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
