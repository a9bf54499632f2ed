import { isEventStreamType } from '@portolan/mcp-protocol';
import { answerUnreadable } from '../errors/backend-errors.ts';
import { headerOf, type Middleware, type RequestContext } from '../request/request-state.ts';
import { hasCredentials } from './forward/ask-credentials.ts';
import type { ResponseSink, UpstreamHead } from './forward/open-forwarder.ts';
import { passResponse } from './forward/pass-response.ts';
import { type Peek, peekBody } from './forward/peek-body.ts';
import { prepareUpstream, authorizeUpstream } from './forward/resolve-upstream.ts';
import { respondWithError } from './respond-with-error.ts';
import { type EndpointOptions, rewriteEndpoint } from './forward/rewrite-endpoint.ts';
import { send } from './forward/send.ts';
import { enterSession } from './sessions/session-of-request.ts';
import type { TransparentOptions } from './transparent-options.ts';
import { headerIn } from './forward/upstream-headers.ts';
import { AnnouncedPaths } from './forward/upstream-path.ts';
import type { ResolvedUpstream } from './forward/resolved-upstream.ts';

export function serveTransparent(options: TransparentOptions): Middleware {
  const announced = new AnnouncedPaths();
  return (ctx) => {
    const { body } = ctx.state;
    const peek = peekBody(body, headerOf(ctx, 'MCP-Protocol-Version'));
    const way = prepareUpstream(options, ctx, peek, body, announced);
    const entering = enterSession(options, ctx, peek, way.sessionId);
    if (!(entering instanceof Promise) && !hasCredentials(options.credentials)) {
      forward(options, ctx, way, peek);
      return undefined;
    }
    return forwardLater(options, ctx, way, peek, entering);
  };
}

async function forwardLater(
  options: TransparentOptions,
  ctx: RequestContext,
  way: ResolvedUpstream,
  peek: Peek,
  entering: ReturnType<typeof enterSession>,
): Promise<void> {
  await entering;
  ctx.state.messageId = peek.id;
  let proven: ResolvedUpstream;
  try {
    proven = await authorizeUpstream(options, ctx, way, undefined);
  } catch (error) {
    if (peek.kind !== 'notification' && peek.kind !== 'response') throw error;
    ctx.respond = false;
    respondWithError(options, ctx, error, peek);
    return;
  }
  if (!ctx.res.destroyed) forward(options, ctx, proven, peek);
}

function forward(options: TransparentOptions, ctx: RequestContext, way: ResolvedUpstream, peek: Peek): void {
  send(options, ctx, way, {
    answered: (head, endpoint) => pass(options, ctx, head, endpoint, droppedHeaders(options)),
    failed: (error) => respondWithError(options, ctx, error, peek),
  });
}

/** Throws ERR_ANSWER_UNREADABLE before any part is sent. */
function pass(
  options: TransparentOptions,
  ctx: RequestContext,
  head: UpstreamHead,
  endpoint: EndpointOptions,
  dropped: readonly string[],
): ResponseSink {
  const type = headerIn(head.rawHeaders, 'content-type');
  if (options.transport !== 'sse' || ctx.method !== 'GET' || !isEventStreamType(type)) {
    return passResponse(head, ctx.res, { dropped });
  }
  const encoding = headerIn(head.rawHeaders, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw answerUnreadable(encoding);
  return passResponse(head, ctx.res, { through: rewriteEndpoint(endpoint) });
}

export function droppedHeaders({ isStateless }: Pick<TransparentOptions, 'isStateless'>): readonly string[] {
  return isStateless ? ['mcp-session-id'] : [];
}
