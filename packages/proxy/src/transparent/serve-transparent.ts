import type { ForwardedHeader } from '@portolan/plugin-api';
import { type PrefixOptions, prefixFor } from '../endpoint-prefix.ts';
import { answerUnreadable, methodNotPossible, pathUnknown } from '../errors.ts';
import { toHttpProblem } from '../http-errors.ts';
import { writeError } from '../message/write-message.ts';
import { headerOf, type Middleware, type RequestContext } from '../request-state.ts';
import type { AnswerSink, Forwarder } from './open-forwarder.ts';
import { type AnswerHead, passAnswer } from './pass-answer.ts';
import { type Peek, peekBody } from './peek-body.ts';
import { type EndpointOptions, rewriteEndpoint } from './rewrite-endpoint.ts';
import { headerIn, upstreamHeaders } from './upstream-headers.ts';
import { AnnouncedPaths, upstreamPath } from './upstream-path.ts';

export interface TransparentOptions extends PrefixOptions {
  readonly forwarder: Forwarder;
  readonly transport: 'streamable-http' | 'sse';
  readonly target: URL;
  readonly isRemote: boolean;
  /** Whether the server keeps nothing between requests: no session id passes, in either direction. */
  readonly isStateless: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  /** The server answered a message: it is there. */
  readonly seen: () => void;
  /** A remote wants other credentials than the workload has, or does no longer. */
  readonly refused: (isRefused: boolean) => void;
  /** Counts requests that wait for the server, by +1 and -1. */
  readonly waiting: (change: 1 | -1) => void;
}

const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'];
const STATELESS_METHODS = ['POST'];

/** Refuses methods that the protocol does not have: TRACE would show a client what is sent beside its own headers. */
export function checkMethod(isStateless: boolean): Middleware {
  const methods = isStateless ? STATELESS_METHODS : METHODS;
  return (ctx, next) => {
    if (methods.includes(ctx.method)) return next();
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  };
}

/** Passes requests to a server that speaks HTTP itself, and its answers back. */
export function serveTransparent(options: TransparentOptions): Middleware {
  const announced = new AnnouncedPaths();
  return (ctx) => {
    if (!ctx.path.startsWith('/')) throw pathUnknown(options.target.pathname);
    const { target, isRemote, forwarder } = options;
    const { body } = ctx.state;
    const peek = peekBody(body, headerOf(ctx, 'MCP-Protocol-Version'));
    const path = upstreamPath(ctx.path + ctx.search, target, isRemote, announced);
    // Not resolved against it: what begins with two slashes would be taken for another server.
    const url = URL.parse(target.origin + path) ?? target;
    // Read before they are changed for the server.
    const hasOwnCredentials =
      ctx.req.headers.authorization !== undefined && !isForwarded(options, 'authorization');
    const outside = { prefix: prefixFor(ctx, options), outerOrigin: outerOriginOf(ctx, options) };
    const headers = headersFor(options, ctx, peek);
    ctx.respond = false;
    options.waiting(1);
    ctx.res.once('close', () => options.waiting(-1));
    forwarder.forward(ctx.res, {
      method: ctx.method,
      url,
      path,
      headers,
      body,
      answered: (head, answeredUrl) => {
        noteStatus(options, head.status, hasOwnCredentials);
        return pass(options, ctx, head, {
          ...outside,
          streamUrl: answeredUrl,
          announced: (own) => announced.add(own),
        });
      },
      failed: (error) => answerFailure(ctx, error, peek),
    });
  };
}

function headersFor(options: TransparentOptions, ctx: RequestContext, peek: Peek): readonly string[] {
  return upstreamHeaders(ctx.req.headers, {
    isRemote: options.isRemote,
    targetScheme: options.target.protocol.slice(0, -1),
    trustProxyHeaders: options.trustProxyHeaders,
    forwardHeaders: options.forwardHeaders,
    clientAddress: ctx.req.socket.remoteAddress ?? '',
    readsAnswer: options.transport === 'sse' && ctx.method === 'GET',
    dropsSession: peek.isSessionless || options.isStateless,
  });
}

/** What a client has brought itself and is refused for says nothing about the workload. */
function noteStatus(options: TransparentOptions, status: number, hasOwnCredentials: boolean): void {
  const isWell = status >= 200 && status < 300;
  if (isWell) options.seen();
  if (!options.isRemote) return;
  if (isWell) options.refused(false);
  else if (status === 401 && !hasOwnCredentials) options.refused(true);
}

function isForwarded({ forwardHeaders }: TransparentOptions, header: string): boolean {
  return forwardHeaders.some(({ name }) => name.toLowerCase() === header);
}

/** Throws ERR_ANSWER_UNREADABLE, where nothing of the answer was passed on yet. */
function pass(
  options: TransparentOptions,
  ctx: RequestContext,
  head: AnswerHead,
  endpoint: EndpointOptions,
): AnswerSink {
  const type = headerIn(head.rawHeaders, 'content-type') ?? '';
  if (options.transport !== 'sse' || ctx.method !== 'GET' || !/^text\/event-stream\b/i.test(type)) {
    return passAnswer(head, ctx.res, { dropped: options.isStateless ? ['mcp-session-id'] : [] });
  }
  const encoding = headerIn(head.rawHeaders, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw answerUnreadable(encoding);
  return passAnswer(head, ctx.res, { through: rewriteEndpoint(endpoint) });
}

/** Under which origin clients reach a trusted proxy in front; undefined when it does not say. */
function outerOriginOf(ctx: RequestContext, { trustProxyHeaders }: TransparentOptions): string | undefined {
  const host = ctx.get('X-Forwarded-Host');
  const scheme = ctx.get('X-Forwarded-Proto');
  if (!trustProxyHeaders || host === '' || scheme === '') return undefined;
  const url = URL.parse(`${scheme}://${host}`);
  return url === null || url.origin === 'null' ? undefined : url.origin;
}

function answerFailure({ res }: RequestContext, error: unknown, { id }: Pick<Peek, 'id'>): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const { status, headers, rpc } = toHttpProblem(error);
  const body = writeError(id, rpc);
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}
