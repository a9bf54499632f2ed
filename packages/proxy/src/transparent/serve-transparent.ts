import type { ClientExchange, ForwardedHeader, OutgoingCredentials } from '@portolan/plugin-api';
import { type PrefixOptions, prefixFor } from '../endpoint-prefix.ts';
import { withForwardedPort } from '../forwarded-port.ts';
import { answerUnreadable } from '../errors/backend-errors.ts';
import { methodNotPossible, pathUnknown } from '../errors/request-errors.ts';
import { isModern } from '../era/revisions.ts';
import { toHttpProblem } from '../http-errors.ts';
import { writeError } from '../message/write-message.ts';
import { noteRefusal } from '../policy/note-refusal.ts';
import { headerOf, type Middleware, type RequestContext } from '../request-state.ts';
import { askCredentials, type CredentialSources, hasCredentials, type Proof } from './ask-credentials.ts';
import { holdAnswer, holdRefusal } from './hold-answer.ts';
import { isRepeatable } from './is-repeatable.ts';
import type { AnswerSink, Forwarder } from './open-forwarder.ts';
import type { BackendSessions } from './backend-sessions.ts';
import { type AnswerHead, passAnswer } from './pass-answer.ts';
import { type Peek, peekBody } from './peek-body.ts';
import { type EndpointOptions, rewriteEndpoint } from './rewrite-endpoint.ts';
import { enterSession, holdEvents, noteSession, sessionIdOf } from './session-of-request.ts';
import { tapRevision } from './tap-revision.ts';
import { headerIn, upstreamHeaders } from './upstream-headers.ts';
import { AnnouncedPaths, upstreamPath } from './upstream-path.ts';

export interface TransparentOptions extends PrefixOptions {
  readonly forwarder: Forwarder;
  /** For what is not MCP. */
  readonly pageForwarder: Forwarder;
  readonly transport: 'streamable-http' | 'sse';
  readonly target: URL;
  readonly isRemote: boolean;
  /** Whether the server keeps nothing between requests: no session id passes, in either direction. */
  readonly isStateless: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly credentials: CredentialSources;
  /** Told which credentials the server has refused, before a request is sent a second time; undefined: none is. */
  readonly askRefused: OutgoingCredentials['refused'];
  readonly sessions: BackendSessions;
  /** How many open streams of HTTP+SSE have announced an endpoint; some servers have one for all. */
  readonly streams: Map<string, number>;
  /** Whether what comes back is judged, so that it may not be compressed. */
  readonly readsAnswers: boolean;
  /** Whether it counts on which revision a session has agreed. */
  readonly readsRevisions: boolean;
  /** The server answered a message: it is there. Of a message that describes itself, with the path it went to. */
  readonly seen: (modernPath: string | undefined) => void;
  /** A remote wants other credentials than the workload has, or does no longer. */
  readonly refused: (isRefused: boolean) => void;
  /** Counts requests that wait for the server, by +1 and -1. */
  readonly waiting: (change: 1 | -1) => void;
}

const LEGACY_METHODS = ['GET', 'HEAD', 'DELETE'];
const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'];
const STATELESS_METHODS = ['POST'];

/** Refuses methods that the protocol does not have: TRACE would show a client what is sent beside its own headers. */
export function checkMethod(isStateless: boolean): Middleware {
  const methods = isStateless ? STATELESS_METHODS : METHODS;
  return (ctx, next) => {
    const version = headerOf(ctx, 'MCP-Protocol-Version');
    // Streams and sessions by GET and DELETE are Legacy alone.
    if (LEGACY_METHODS.includes(ctx.method) && version !== undefined && isModern(version)) {
      ctx.set('Allow', 'POST');
      throw methodNotPossible(ctx.method, ['POST']);
    }
    if (methods.includes(ctx.method)) return next();
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  };
}

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

/** The same way with credentials on it; a promise only where somebody takes their time. Throws what whoever gives them throws. */
export function proveWay(
  { credentials }: TransparentOptions,
  ctx: RequestContext,
  way: Way,
  exchange: ClientExchange | undefined,
): Way | Promise<Way> {
  if (!hasCredentials(credentials)) return way;
  const left = new AbortController();
  const unproven = { method: ctx.method, url: way.url, headers: way.headers, body: way.body };
  const asking = askCredentials(credentials, unproven, exchange, left.signal);
  if (!(asking instanceof Promise)) return provenWay(way, asking);
  const leave = (): void => left.abort();
  ctx.res.once('close', leave);
  return asking.then((proof) => provenWay(way, proof)).finally(() => ctx.res.off('close', leave));
}

function provenWay(way: Way, { headers, given }: Proof): Way {
  const isOurs = given.has('authorization') || (way.provenBy === 'nobody' && given.size > 0);
  return { ...way, headers, provenBy: isOurs ? 'workload' : way.provenBy };
}

/** Sends a request on, and passes the answer as it comes. */
function forward(options: TransparentOptions, ctx: RequestContext, way: Way, peek: Pick<Peek, 'id'>): void {
  send(options, ctx, way, {
    answered: (head, endpoint) => pass(options, ctx, head, endpoint, droppedFrom(options, way, head)),
    failed: (error) => answerFailure(ctx, error, peek),
  });
}

/** Where a request goes, and with what. */
export interface Way {
  readonly url: URL;
  /** Path and query of it, as they were written. */
  readonly path: string;
  /** For the server, name and value in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** That the client has named; undefined where it does not count. */
  readonly sessionId: string | undefined;
  /** Who says to the server who asks. */
  readonly provenBy: 'client' | 'workload' | 'nobody';
  readonly endpoint: Omit<EndpointOptions, 'streamUrl'>;
}

/** Says where a request goes, and with what headers. Throws ERR_PATH_UNKNOWN. */
export function prepareWay(
  options: TransparentOptions,
  ctx: RequestContext,
  peek: Peek,
  body: Buffer | undefined,
  announced: AnnouncedPaths,
): Way {
  if (!ctx.path.startsWith('/')) throw pathUnknown(options.target.pathname);
  const { target, isRemote } = options;
  const sessionId = sessionIdOf(options, ctx, peek);
  const path = upstreamPath(ctx.path + ctx.search, target, isRemote, announced);
  return {
    // Not resolved against it: what begins with two slashes would be taken for another server.
    url: URL.parse(target.origin + path) ?? target,
    path,
    headers: headersFor(options, ctx, peek),
    body,
    sessionId,
    provenBy: proverOf(options, ctx),
    endpoint: {
      prefix: prefixFor(ctx, options),
      outerOrigin: outerOriginOf(ctx, options),
      announced: (own: string, query: string) => {
        announced.add(own);
        holdEvents(options, ctx, own + query);
      },
    },
  };
}

/** Sends a request; the client waits until one of the two is called, which answers it. */
export function send(options: TransparentOptions, ctx: RequestContext, way: Way, then: Answering): void {
  ctx.respond = false;
  options.waiting(1);
  ctx.res.once('close', () => options.waiting(-1));
  sendOnce(options, ctx, way, then, options.askRefused);
}

/** What becomes of a request that was sent. */
interface Answering {
  readonly answered: (head: AnswerHead, endpoint: EndpointOptions) => AnswerSink;
  readonly failed: (error: unknown) => void;
}

function sendOnce(
  options: TransparentOptions,
  ctx: RequestContext,
  way: Way,
  then: Answering,
  askRefused: TransparentOptions['askRefused'],
): void {
  const { url, path, headers, body, sessionId, provenBy, endpoint } = way;
  const forwarder = isMcp(ctx) ? options.forwarder : options.pageForwarder;
  forwarder.forward(ctx.res, {
    method: ctx.method,
    url,
    path,
    headers,
    body,
    isRepeatable: () => isRepeatable(ctx.method, body),
    answered: (head, answeredUrl) => {
      const challenge = headerIn(head.rawHeaders, 'www-authenticate');
      const isAsked = provenBy === 'workload' && askRefused !== undefined;
      if (isAsked && head.status === 401) {
        const renewed = askRefused(pairsOf(headers), { status: 401, challenge });
        void sendAgain(options, ctx, way, then, renewed);
        return NOWHERE;
      }
      noteStatus(options, ctx, head.status, { path, provenBy });
      const begun = noteSession(options, ctx, head, { path, sessionId });
      const begin = (): AnswerSink => {
        const sink = then.answered(head, { ...endpoint, streamUrl: answeredUrl });
        if (begun === undefined || !options.readsRevisions) return sink;
        return tapRevision(sink, head, (revision) => options.sessions.agreed(begun.id, revision));
      };
      if (isAsked && head.status === 403 && challenge !== undefined) {
        const given = askRefused(pairsOf(headers), { status: 403, challenge });
        const again = (): void => void sendAgain(options, ctx, way, then, given);
        return holdRefusal(given, begin, { again, failed: then.failed });
      }
      return begun?.known === undefined ? begin() : holdAnswer(begun.known, begin, then.failed);
    },
    failed: then.failed,
  });
}

/** The server has refused our credentials: once more, with others if there are any, and with the same if not. */
async function sendAgain(
  options: TransparentOptions,
  ctx: RequestContext,
  way: Way,
  then: Answering,
  renewed: Promise<boolean>,
): Promise<void> {
  try {
    await renewed;
    const proven = await proveWay(
      { ...options, credentials: { ...options.credentials, policy: undefined } },
      ctx,
      way,
      undefined,
    );
    if (!ctx.res.destroyed) sendOnce(options, ctx, proven, then, undefined);
  } catch (error) {
    if (!ctx.res.destroyed) then.failed(error);
  }
}

function pairsOf(headers: readonly string[]): readonly ForwardedHeader[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: headers[at + 1] ?? '' }] : []));
}

/** Where the answer goes that nobody gets. */
const NOWHERE: AnswerSink = {
  body: { write: () => true, end: () => undefined, once: () => undefined },
  trailers: () => undefined,
};

/**
 * Whether a request may be one of the protocol: a message, a stream, the end of a session. A server tells nobody
 * at which of its paths it speaks MCP; pages, probes and forms beside it are none.
 */
function isMcp({ method, req: { headers } }: RequestContext): boolean {
  if (headers['mcp-session-id'] !== undefined || headers['mcp-protocol-version'] !== undefined) return true;
  if (method === 'POST') return /^application\/json\b/i.test(headers['content-type'] ?? '');
  return method === 'GET' && (headers.accept ?? '').includes('text/event-stream');
}

function headersFor(options: TransparentOptions, ctx: RequestContext, peek: Peek): readonly string[] {
  return upstreamHeaders(ctx.req.headers, {
    isRemote: options.isRemote,
    targetScheme: options.target.protocol.slice(0, -1),
    trustProxyHeaders: options.trustProxyHeaders,
    forwardHeaders: options.forwardHeaders,
    clientAddress: ctx.req.socket.remoteAddress ?? '',
    dropsCredentials: ctx.state.owner !== undefined,
    readsAnswer: options.readsAnswers || (options.transport === 'sse' && ctx.method === 'GET'),
    dropsSession: peek.isSessionless || options.isStateless,
  });
}

/** What a client has brought itself and is refused for says nothing about the workload. */
function noteStatus(
  options: TransparentOptions,
  ctx: RequestContext,
  status: number,
  { path, provenBy }: Pick<Way, 'path' | 'provenBy'>,
): void {
  const isWell = status >= 200 && status < 300;
  if (isWell) {
    const version = headerOf(ctx, 'MCP-Protocol-Version') ?? '';
    options.seen(ctx.method === 'POST' && isModern(version) ? path : undefined);
  }
  if (!options.isRemote) return;
  if (isWell) options.refused(false);
  else if (status === 401 && provenBy !== 'client') options.refused(true);
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

function proverOf({ forwardHeaders }: TransparentOptions, ctx: RequestContext): Way['provenBy'] {
  if (forwardHeaders.some(({ name }) => name.toLowerCase() === 'authorization')) return 'workload';
  // What was meant for the proxy goes no further.
  const isPassedOn = ctx.state.owner === undefined && ctx.req.headers.authorization !== undefined;
  return isPassedOn ? 'client' : 'nobody';
}

/** Throws ERR_ANSWER_UNREADABLE, where nothing of the answer was passed on yet. */
function pass(
  options: TransparentOptions,
  ctx: RequestContext,
  head: AnswerHead,
  endpoint: EndpointOptions,
  dropped: readonly string[],
): AnswerSink {
  const type = headerIn(head.rawHeaders, 'content-type') ?? '';
  if (options.transport !== 'sse' || ctx.method !== 'GET' || !/^text\/event-stream\b/i.test(type)) {
    return passAnswer(head, ctx.res, { dropped });
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
  const url = URL.parse(`${scheme}://${withForwardedPort(ctx, host)}`);
  return url === null || url.origin === 'null' ? undefined : url.origin;
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
