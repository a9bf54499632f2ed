import { answerUnreadable } from '../errors/backend-errors.ts';
import { toHttpProblem } from '../http-errors.ts';
import { writeError } from '../message/write-message.ts';
import { noteRefusal } from '../policy/note-refusal.ts';
import { headerOf, type Middleware, type RequestContext } from '../request-state.ts';
import { isEventStreamType } from '../sse/is-event-stream.ts';
import { hasCredentials } from './ask-credentials.ts';
import type { AnswerSink } from './open-forwarder.ts';
import { type AnswerHead, passAnswer } from './pass-answer.ts';
import { type Peek, peekBody } from './peek-body.ts';
import { prepareWay, proveWay } from './prepare-way.ts';
import { type EndpointOptions, rewriteEndpoint } from './rewrite-endpoint.ts';
import { send } from './send.ts';
import { enterSession } from './session-of-request.ts';
import type { TransparentOptions } from './transparent-options.ts';
import { headerIn } from './upstream-headers.ts';
import { AnnouncedPaths } from './upstream-path.ts';
import type { Way } from './way.ts';

/** Passes requests to a server that speaks HTTP itself, and its answers back, byte by byte. */
export function serveTransparent(options: TransparentOptions): Middleware {
  const announced = new AnnouncedPaths();
  return (ctx) => {
    const { body } = ctx.state;
    const peek = peekBody(body, headerOf(ctx, 'MCP-Protocol-Version'));
    const way = prepareWay(options, ctx, peek, body, announced);
    const entering = enterSession(options, ctx, peek, way.sessionId);
    if (!(entering instanceof Promise) && !hasCredentials(options.credentials)) {
      forward(options, ctx, way, peek);
      return undefined;
    }
    return forwardLater(options, ctx, way, peek, entering);
  };
}

/** Where something has to be asked before. */
async function forwardLater(
  options: TransparentOptions,
  ctx: RequestContext,
  way: Way,
  peek: Pick<Peek, 'id'>,
  entering: ReturnType<typeof enterSession>,
): Promise<void> {
  await entering;
  ctx.state.messageId = peek.id;
  const proven = await proveWay(options, ctx, way, undefined);
  if (!ctx.res.destroyed) forward(options, ctx, proven, peek);
}

/** Sends a request on, and passes the answer as it comes. */
function forward(options: TransparentOptions, ctx: RequestContext, way: Way, peek: Pick<Peek, 'id'>): void {
  send(options, ctx, way, {
    answered: (head, endpoint) => pass(options, ctx, head, endpoint, droppedFrom(options, way, head)),
    failed: (error) => answerFailure(ctx, error, peek),
  });
}

/** Throws ERR_ANSWER_UNREADABLE, where nothing of the answer was passed on yet. */
function pass(
  options: TransparentOptions,
  ctx: RequestContext,
  head: AnswerHead,
  endpoint: EndpointOptions,
  dropped: readonly string[],
): AnswerSink {
  const type = headerIn(head.rawHeaders, 'content-type');
  if (options.transport !== 'sse' || ctx.method !== 'GET' || !isEventStreamType(type)) {
    return passAnswer(head, ctx.res, { dropped });
  }
  const encoding = headerIn(head.rawHeaders, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw answerUnreadable(encoding);
  return passAnswer(head, ctx.res, { through: rewriteEndpoint(endpoint) });
}

/** Headers that are not passed on: a remote that refuses the workload would send its clients to log in at the wrong place. */
export function droppedFrom(
  { isRemote, isStateless, askRefused }: TransparentOptions,
  { provenBy }: Pick<Way, 'provenBy'>,
  { status }: AnswerHead,
): readonly string[] {
  const isRefusal = status === 401 || (status === 403 && askRefused !== undefined);
  const refusesUs = isRemote && isRefusal && provenBy === 'workload';
  return [...(isStateless ? ['mcp-session-id'] : []), ...(refusesUs ? ['www-authenticate'] : [])];
}

export function answerFailure(
  { res, state }: RequestContext,
  error: unknown,
  { id }: Pick<Peek, 'id'>,
): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  noteRefusal(state, error, id);
  const { status, headers, rpc } = toHttpProblem(error);
  const body = writeError(id, rpc);
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}
