import {
  DISCOVER,
  MESSAGE_TYPES,
  BATCHES_IN,
  batchInvalid,
  type MessageId,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import {
  type ClientExchange,
  findPathFault,
  joinAddress,
  type Logger,
  type PortolanError,
  type SessionStore,
} from '@portolan/plugin-api';
import type { Agent, IncomingMessage } from 'node:http';
import { sessionUnknown } from '../../errors/session-errors.ts';
import { toErrorMessage } from '../../request/http-errors.ts';
import { contextOf } from '../../policy/client-exchange.ts';
import { viewOf } from '../../policy/message-view.ts';
import { noteRefusal } from '../../request/note-refusal.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Middleware, PathMessage, RequestContext } from '../../request/request-state.ts';
import { ResponseScope } from './response-scope.ts';
import { askBackend } from '../forward/ask-backend.ts';
import { askCredentials } from '../forward/ask-credentials.ts';
import { passResponse } from '../forward/pass-response.ts';
import { isEventStream, passJudged } from './pass-judged.ts';
import { StoredExchanges } from '../sessions/stored-exchanges.ts';
import { type Exchanges, PendingExchanges } from '../sessions/pending-exchanges.ts';
import { type EndpointOptions, mapEndpoint, readEndpoint } from '../forward/rewrite-endpoint.ts';
import { serveBatch } from './serve-batch.ts';
import { prepareUpstream, authorizeUpstream } from '../forward/resolve-upstream.ts';
import { send } from '../forward/send.ts';
import { findClientStream, respondWithError } from '../respond-with-error.ts';
import { droppedHeaders } from '../serve-transparent.ts';
import { MAX_RESPONSE_LISTENERS, type TransparentOptions } from '../transparent-options.ts';
import type { ResolvedUpstream } from '../forward/resolved-upstream.ts';
import { enterSession, sessionIdOf } from '../sessions/session-of-request.ts';
import type { EnteredSession } from '../sessions/backend-sessions.ts';
import type { Peek } from '../forward/peek-body.ts';
import { headerIn } from '../forward/upstream-headers.ts';
import { AnnouncedPaths } from '../forward/upstream-path.ts';

export interface JudgedOptions extends TransparentOptions {
  readonly policy: Policy;
  readonly agent: Agent | undefined;
  readonly connectMs: number;
  readonly sessionStore: SessionStore | undefined;
  readonly logger: Logger;
}

interface Shared {
  readonly announced: AnnouncedPaths;
  readonly pending: Exchanges;
}

interface Passage {
  readonly options: JudgedOptions;
  readonly shared: Shared;
  readonly ctx: RequestContext;
  readonly upstream: ResolvedUpstream;
}

/**
 * Serves requests with policies. The server gets exactly the text that policies read, and the client only
 * responses that they allow.
 */
export function serveJudged(options: JudgedOptions): Middleware {
  const shared: Shared = {
    announced: new AnnouncedPaths(),
    pending:
      options.sessionStore === undefined
        ? new PendingExchanges({ replays: options.transport !== 'sse' })
        : new StoredExchanges(options.sessionStore, options.logger),
  };
  return async (ctx) => {
    const { messages, isBatch, era, session } = ctx.state;
    // Each step listens for the end of the response.
    ctx.res.setMaxListeners(MAX_RESPONSE_LISTENERS);
    if (era?.era === 'modern-notification') {
      // Accept and drop the notification, because the request id in it is unique only for this client.
      ctx.status = 202;
      return;
    }
    const only = isBatch ? undefined : messages[0];
    const body = only === undefined ? undefined : Buffer.from(only.message.text);
    const way = prepareUpstream(options, ctx, peekOf(ctx), body, shared.announced);
    if (only?.settled !== undefined) {
      answerSettled(options, ctx, only.settled.response);
      return;
    }
    const exchange = only === undefined ? unaskedOf(ctx) : exchangeOf(ctx, only);
    if (isBatch) {
      // Only one revision has batches, and the session's revision is another one.
      if (session?.revision !== undefined && session.revision !== BATCHES_IN)
        throw batchInvalid(`only sessions of revision ${BATCHES_IN} support them`);
      await passBatch({ options, shared, ctx, upstream: way });
      return;
    }
    const proving = authorizeUpstream(options, ctx, way, exchange);
    const proven = proving instanceof Promise ? await proving : proving;
    if (!ctx.res.destroyed) await passOne({ options, shared, ctx, upstream: proven }, only, exchange);
  };
}

/** Checks the owner of the session before policies read the request. */
export function enterJudged(options: JudgedOptions): Middleware {
  return (ctx, next) => {
    const { state } = ctx;
    if (state.era?.era === 'modern-notification') return next();
    const peek = peekOf(ctx);
    const entering = enterSession(options, ctx, peek, sessionIdOf(options, ctx, peek));
    if (!(entering instanceof Promise)) {
      state.session = entering;
      return next();
    }
    return enterLater(ctx, entering, next);
  };
}

async function enterLater(
  { state }: RequestContext,
  entering: Promise<EnteredSession>,
  next: () => Promise<unknown>,
): Promise<void> {
  state.session = await entering;
  await next();
}

function peekOf({ state: { messages, isBatch, era, messageId } }: RequestContext): Peek {
  const only = isBatch ? undefined : messages[0];
  const initializes = only?.message.kind === 'request' && only.message.method === 'initialize';
  return { id: messageId, kind: only?.message.kind, isSessionless: initializes || era?.era === 'modern' };
}

async function passOne(
  passage: Passage,
  only: PathMessage | undefined,
  exchange: ClientExchange,
): Promise<void> {
  const { options, ctx, upstream } = passage;
  const scope = openScope(passage, exchange);
  const id = only?.message.kind === 'request' ? only.message.id : undefined;
  // Before sending: over HTTP+SSE, the response may arrive before the POST completes.
  if (id !== undefined) await scope.ask(id, exchange);
  if (ctx.res.destroyed) {
    scope.giveUp();
    return;
  }
  const fail = (error: unknown): void => {
    // The server may still respond on the stream. That response must not count for another request with the
    // same id.
    if (options.transport === 'sse') scope.fail();
    else scope.giveUp();
    respondWithError(options, ctx, error, { id, kind: only?.message.kind });
  };
  send(options, ctx, upstream, {
    failed: fail,
    answered: (head, endpoint) => {
      const dropped = droppedHeaders(options);
      const isDiscovery = exchange.message?.kind === 'request' && exchange.message.method === DISCOVER;
      if (options.policy.answering.length === 0 && options.transport !== 'sse' && !isDiscovery) {
        return passResponse(head, ctx.res, { dropped });
      }
      const sessionId = headerIn(head.rawHeaders, 'mcp-session-id');
      if (id !== undefined && sessionId !== undefined) scope.begin(id, sessionId);
      const isSession = options.transport === 'sse' && ctx.method === 'GET' && isEventStream(head);
      return passJudged(head, ctx.res, {
        scope,
        isExpected: id !== undefined && options.transport !== 'sse',
        dropped,
        endpoint: isSession ? (data, push) => beginSession(scope, endpoint, data, push) : undefined,
        announced: ctx.method === 'GET' ? options.announced : undefined,
        logger: options.logger,
        refuse: fail,
      });
    },
  });
}

async function passBatch(passage: Passage): Promise<void> {
  const { options, ctx } = passage;
  ctx.respond = false;
  options.waiting(1);
  ctx.res.once('close', () => options.waiting(-1));
  const batch = {
    ask: (text: string, exchange: ClientExchange, signal: AbortSignal) =>
      post(passage, text, exchange, signal),
    openScope: (exchange: ClientExchange) => openScope(passage, exchange),
    exchangeOf: (one: PathMessage) => exchangeOf(ctx, one),
    failed: (error: unknown, id: MessageId) => noteRefusal(ctx.state, error, id),
  };
  await serveBatch(batch, ctx);
}

async function post(
  { options, upstream }: Passage,
  text: string,
  exchange: ClientExchange,
  signal: AbortSignal,
  url = upstream.url,
): Promise<IncomingMessage> {
  const { agent, connectMs, credentials } = options;
  const dropped = ['last-event-id', 'accept'];
  const own = upstream.headers.filter(
    (_field, at, all) => !dropped.includes(String(all[at - (at % 2)]).toLowerCase()),
  );
  const headers = [...own, 'accept', MESSAGE_TYPES];
  const { headers: proven } = await askCredentials(
    credentials,
    { method: 'POST', url, headers, body: text },
    exchange,
    signal,
  );
  return askBackend({ url, headers: proven, body: text, agent, connectMs, signal });
}

function openScope(passage: Passage, unasked: ClientExchange): ResponseScope {
  const { options, shared, upstream } = passage;
  const { policy, transport, connectMs, logger } = options;
  const session = sessionOf(passage, unasked);
  const refuseServer = (request: RequestMessage, why: PortolanError): void => {
    const body = toErrorMessage(why, request.id);
    // For HTTP+SSE, the session key is the path that the stream announced.
    const path = scope.session ?? '';
    if (transport === 'sse' && findPathFault(path) !== undefined) return;
    const url = transport === 'sse' ? joinAddress(upstream.url, path) : upstream.url;
    post(passage, body, unasked, AbortSignal.timeout(connectMs), url).then(
      (response) => response.destroy(),
      (error: unknown) => logger.debug({ err: error }, 'refusal could not be sent to the server'),
    );
  };
  const isGone = (): boolean => passage.ctx.res.destroyed;
  const scope: ResponseScope = new ResponseScope(
    { policy, unasked, pending: shared.pending, refuseServer, isGone },
    session,
  );
  return scope;
}

/**
 * Returns the session key that finds pending requests when a response arrives on another stream; undefined
 * when that cannot happen.
 */
function sessionOf({ options, ctx, upstream }: Passage, unasked: ClientExchange): string | undefined {
  if (options.transport === 'sse') return ctx.method === 'POST' ? keyOf(upstream.url) : undefined;
  return options.policy.answering.length === 0 ? undefined : unasked.sessionId;
}

function beginSession(
  scope: ResponseScope,
  endpoint: EndpointOptions,
  data: string,
  push: (event: string) => void,
): string {
  const mapped = mapEndpoint(data, endpoint, push);
  scope.session = keyOf(readEndpoint(data, endpoint));
  return mapped;
}

function answerSettled(options: JudgedOptions, ctx: RequestContext, response: string | undefined): void {
  if (options.transport !== 'sse' || response === undefined) {
    ctx.status = response === undefined ? 202 : 200;
    if (response !== undefined) ctx.body = response;
    ctx.set('Content-Type', 'application/json');
    return;
  }
  const sendOnStream = findClientStream(options)(ctx);
  if (sendOnStream === undefined) throw sessionUnknown();
  sendOnStream(response);
  ctx.status = 202;
}

function keyOf({ pathname, search }: URL): string {
  return pathname + search;
}

function exchangeOf(ctx: RequestContext, { message, view = viewOf(message) }: PathMessage): ClientExchange {
  return { ...unaskedOf(ctx), message: view };
}

function unaskedOf(ctx: RequestContext): ClientExchange {
  const context = contextOf(ctx);
  if (context === undefined) throw new TypeError('a request without a policy must not reach this step');
  return { ...context, message: undefined };
}
