import { STREAMABLE_PATH } from '../request/client-path.ts';
import {
  batchInvalid,
  MESSAGE_TYPES,
  BATCHES_IN,
  isModern,
  type Message,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import { isPortolanError, type MessageSender } from '@portolan/plugin-api';
import { methodNotPossible, notAcceptable, pathUnknown } from '../errors/request-errors.ts';
import { sessionMissing, sessionUnknown } from '../errors/session-errors.ts';
import { serveModern, type ServeModernOptions } from '../modern/serve-modern.ts';
import { senderOf } from '../policy/client-exchange.ts';
import { MessageOrder } from '../policy/message-order.ts';
import type { Policy } from '../policy/policy.ts';
import {
  headerOf,
  type Middleware,
  type PathMessage,
  type RequestContext,
  type Step,
} from '../request/request-state.ts';
import { mintSessionId } from '../sessions/session-id.ts';
import type { SessionUse } from '../sessions/session-life.ts';
import { type AcceptedForms, readAccepted } from '../streams/accepted-forms.ts';
import { judgedReply, judgeSession } from './judged-reply.ts';
import { checkLegacyVersion } from './legacy-version.ts';
import type { McpSession, SessionHost } from './mcp-session.ts';
import { type OutletOptions, StreamableOutlet } from './streamable-outlet.ts';
import { PostReply } from './post-reply.ts';
import type { Reply } from './reply.ts';

const METHODS = ['POST', 'GET', 'DELETE'];
const STATELESS_METHODS = ['POST'];

type Passing = McpSession<StreamableOutlet>;

export interface StreamableOptions {
  readonly host: SessionHost<StreamableOutlet>;
  /** Opens a temporary session for one POST to a stateless server. Undefined for servers with sessions. */
  readonly pass: ((outlet: StreamableOutlet, revision: string) => Promise<Passing>) | undefined;
  readonly outlet: Omit<OutletOptions, 'streamClosed' | 'judge'>;
  readonly silenceMs: number;
  readonly policy: Policy | undefined;
  readonly modern: ServeModernOptions;
}

export function serveStreamable(options: StreamableOptions): Middleware {
  const steps: Readonly<Record<string, Step>> = {
    POST: (ctx) => servePost(options, ctx),
    GET: (ctx) => openStanding(options, ctx),
    DELETE: (ctx) => endSession(options, ctx),
  };
  return (ctx) => steps[ctx.method]?.(ctx);
}

export function checkStreamablePath(isStateless: boolean, path = STREAMABLE_PATH): Middleware {
  return (ctx, next) => {
    const version = headerOf(ctx, 'MCP-Protocol-Version') ?? '';
    const methods = isStateless || isModern(version) ? STATELESS_METHODS : METHODS;
    if (ctx.path !== path && ctx.path !== `${path}/`) throw pathUnknown(path);
    if (methods.includes(ctx.method)) return next();
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible(ctx.method, methods);
  };
}

/** Rejects messages without a session before policies read them. */
export function requireSession({ host, pass }: Pick<StreamableOptions, 'host' | 'pass'>): Middleware {
  return (ctx, next) => {
    const { messages, era, isBatch } = ctx.state;
    const only = isBatch ? undefined : messages[0]?.message;
    const opens = only?.kind === 'request' && only.method === 'initialize';
    if (messages.length > 0 && !opens && (era === undefined || era.era === 'legacy')) {
      checkLegacyVersion(ctx);
      if (pass === undefined) sessionOf({ host }, ctx);
    }
    return next();
  };
}

/** Handles a POST. Returns a promise only when the response needs asynchronous work. */
function servePost(options: StreamableOptions, ctx: RequestContext): void | Promise<void> {
  const { messages, era, isBatch } = ctx.state;
  if (era?.era === 'modern-notification') return acknowledge(ctx);
  const [one] = messages;
  if (era?.era === 'modern' && one !== undefined) {
    const accepted = acceptedBy(ctx);
    return serveModern(options.modern, ctx, { sent: one, revision: era.revision, accepted });
  }
  const message = isBatch ? undefined : one?.message;
  if (one?.settled === undefined && message?.kind === 'request' && message.method === 'initialize') {
    return openSession(options, ctx, message);
  }
  checkLegacyVersion(ctx);
  if (options.pass === undefined) return serveMessages(options, ctx, sessionOf(options, ctx), messages);
  return passingFor(options, ctx).then((session) => serveMessages(options, ctx, session, messages));
}

async function passingFor(
  { pass, outlet, policy }: StreamableOptions,
  ctx: RequestContext,
): Promise<Passing> {
  if (pass === undefined) throw sessionMissing();
  const judge = policy && judgeSession(policy, ctx, undefined);
  const streams = new StreamableOutlet({
    ...outlet,
    isResumable: false,
    streamClosed: () => undefined,
    judge,
  });
  return await pass(streams, headerOf(ctx, 'MCP-Protocol-Version') ?? BATCHES_IN);
}

/**
 * Throws ERR_MESSAGE_INVALID unless the revision supports batches. The session determines the revision, or
 * the version header for a stateless server.
 */
export function checkRevisionOfBatch(
  host: SessionHost<StreamableOutlet> | undefined,
  ctx: RequestContext,
): void {
  const revision =
    host === undefined
      ? (headerOf(ctx, 'MCP-Protocol-Version') ?? BATCHES_IN)
      : findSession(host, ctx)?.revision;
  if (revision !== BATCHES_IN) throw batchInvalid(`only sessions of revision ${BATCHES_IN} support them`);
  checkLegacyVersion(ctx);
}

async function openSession(
  options: StreamableOptions,
  ctx: RequestContext,
  initialize: RequestMessage,
): Promise<void> {
  const accepted = acceptedBy(ctx);
  const id = mintSessionId();
  const touch = (): void => options.host.touch(id);
  const { silenceMs, policy } = options;
  const outlet = new StreamableOutlet({
    ...options.outlet,
    streamClosed: () => options.host.touch(id, 'stream'),
    judge: policy && judgeSession(policy, ctx, id),
  });
  const { unread } = options.outlet;
  const post = new PostReply({
    response: ctx.res,
    accepted,
    outlet,
    answers: 1,
    isBatch: false,
    holdsBack: true,
    silenceMs,
    unread,
    closed: touch,
  });
  const isOurs = ctx.state.ownRequest !== undefined;
  const line = new MessageOrder();
  const reply = judgedReply(post, policy, ctx, { message: initialize, line, begunSession: id });
  const { owner } = ctx.state;
  await options.host.open({ initialize, outlet, id, owner, reply, isOurs, sender: senderOf(ctx) });
  ctx.respond = false;
}

function serveMessages(
  { host, pass, silenceMs, outlet, policy }: StreamableOptions,
  ctx: RequestContext,
  session: McpSession<StreamableOutlet>,
  messages: readonly PathMessage[],
): void {
  const answers = messages.filter(({ message }) => message.kind === 'request').length;
  const closed = (): void => {
    if (pass === undefined) host.touch(session.id);
    else void session.end();
  };
  if (ctx.res.destroyed) {
    closed();
    return;
  }
  if (answers === 0) {
    for (const { message, settled } of messages)
      if (settled === undefined) tell(session, message, senderOf(ctx));
    acknowledge(ctx);
    closed();
    return;
  }
  const reply = new PostReply({
    response: ctx.res,
    accepted: acceptedBy(ctx),
    outlet: session.outlet,
    answers,
    isBatch: ctx.state.isBatch,
    holdsBack: false,
    silenceMs,
    unread: outlet.unread,
    closed,
  });
  ctx.respond = false;
  const line = new MessageOrder();
  const sender = senderOf(ctx);
  for (const { message, view, settled } of messages) {
    if (settled !== undefined) {
      if (settled.response !== undefined) reply.settle(settled.response);
    } else if (message.kind === 'request') {
      ask(session, message, judgedReply(reply, policy, ctx, { message, view, line }), sender);
    } else tell(session, message, sender);
  }
}

/**
 * Sends a request to the server. An error becomes the response to this request, so that the other requests of
 * a batch continue.
 */
function ask(session: McpSession, message: RequestMessage, reply: Reply, sender: MessageSender): void {
  try {
    session.request(message, reply, sender);
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    reply.fail(error, message.id);
  }
}

function tell(session: McpSession, message: Message, sender: MessageSender): void {
  if (message.kind === 'notification') session.notify(message, sender);
  else if (message.kind === 'response') session.respond(message, sender);
}

function openStanding(options: StreamableOptions, ctx: RequestContext): void {
  const session = sessionOf(options, ctx, 'stream');
  checkLegacyVersion(ctx);
  if (!readAccepted(ctx.get('Accept')).stream) throw notAcceptable('text/event-stream');
  const lastEventId = headerOf(ctx, 'Last-Event-ID');
  if (lastEventId !== undefined && session.outlet.hasCancelled(lastEventId)) {
    const methods = METHODS.filter((method) => method !== 'GET');
    ctx.set('Allow', methods.join(', '));
    throw methodNotPossible('GET', methods);
  }
  ctx.respond = false;
  session.outlet.openStanding(ctx.res, lastEventId);
}

function endSession(options: StreamableOptions, ctx: RequestContext): void {
  const session = sessionOf(options, ctx);
  void session.end();
  ctx.status = 204;
}

function findSession(
  host: SessionHost<StreamableOutlet>,
  ctx: RequestContext,
  use?: SessionUse,
): McpSession<StreamableOutlet> | undefined {
  const id = headerOf(ctx, 'Mcp-Session-Id');
  const session = id === undefined ? undefined : host.find(id, use);
  // The same error as for an unknown session: a session id is no proof of identity.
  return session?.owner === ctx.state.owner ? session : undefined;
}

function sessionOf(
  { host }: Pick<StreamableOptions, 'host'>,
  ctx: RequestContext,
  use?: SessionUse,
): McpSession<StreamableOutlet> {
  if (headerOf(ctx, 'Mcp-Session-Id') === undefined) throw sessionMissing();
  const session = findSession(host, ctx, use);
  if (session === undefined) throw sessionUnknown();
  return session;
}

function acceptedBy(ctx: RequestContext): AcceptedForms {
  const accepted = readAccepted(ctx.get('Accept'));
  if (!accepted.json && !accepted.stream) throw notAcceptable(MESSAGE_TYPES);
  return accepted;
}

function acknowledge(ctx: RequestContext): void {
  ctx.status = 202;
  ctx.set('Content-Length', '0');
  ctx.res.end();
  ctx.respond = false;
}
