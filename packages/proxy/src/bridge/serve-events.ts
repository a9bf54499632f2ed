import { EVENTS_PATH } from '../request/client-path.ts';
import {
  batchInvalid,
  type Message,
  responseDetailsOf,
  type MessageId,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { Counts } from '../request/counts.ts';
import { type PrefixOptions, prefixFor } from '../request/endpoint-prefix.ts';
import { methodNotPossible, pathUnknown } from '../errors/request-errors.ts';
import { sessionAlreadyStarted, sessionMissing, sessionUnknown } from '../errors/session-errors.ts';
import type { Policy } from '../policy/policy.ts';
import type { Middleware, RequestContext, Step } from '../request/request-state.ts';
import { mintSessionId } from '../sessions/session-id.ts';
import type { SendOnStream } from '../steps/report-on-stream.ts';
import { ByteBudget } from '../streams/byte-budget.ts';
import { EventStream, type StreamLimits } from '../streams/event-stream.ts';
import { checkLegacyVersion } from './legacy-version.ts';
import type { SessionHost } from './mcp-session.ts';
import { judgedReply, judgeSession } from './judged-reply.ts';
import { StreamOutlet } from './stream-outlet.ts';
import { senderOf } from '../policy/client-exchange.ts';
import type { UnreadResponses } from '../streams/unread-responses.ts';
import type { PortolanError } from '@portolan/plugin-api';
import { toErrorMessage } from '../request/http-errors.ts';
import type { Reply } from './reply.ts';

/** Reply over HTTP+SSE: every response is an event on the session's stream. */
class StreamReply implements Reply {
  readonly canStream = false;
  readonly #stream: EventStream;

  constructor(stream: EventStream) {
    this.#stream = stream;
  }

  get isStreaming(): boolean {
    return this.#stream.isOpen;
  }

  get isGone(): boolean {
    return !this.#stream.isOpen;
  }

  carry(text: string, mayDrop: boolean): boolean {
    return this.#stream.send(text, mayDrop);
  }

  progressed(text: string): void {
    this.carry(text, true);
  }

  /** The `endpoint` event has already named the session. */
  beginSession(): void {
    return undefined;
  }

  respond({ text }: ResponseMessage): void {
    this.#stream.send(text, false);
  }

  fail(error: PortolanError, id: MessageId): void {
    if (responseDetailsOf(error).endsStream !== true) this.#stream.send(toErrorMessage(error, id), false);
  }
}

const MESSAGES_PATH = '/messages';

export interface EventsOptions extends PrefixOptions {
  readonly host: SessionHost<StreamOutlet>;
  readonly limits: StreamLimits;
  readonly unread: UnreadResponses;
  readonly counts: Counts;
  readonly policy: Policy | undefined;
  readonly nowMs: () => number;
}

export type OpenOutlets = Map<string, OwnedOutlet>;

interface OwnedOutlet {
  readonly outlet: StreamOutlet;
  readonly owner: string | undefined;
  readonly openedMs: number;
}

export function closeUnusedStreams(outlets: OpenOutlets, beforeMs: number): void {
  for (const { outlet, openedMs } of outlets.values())
    if (!outlet.isOpening && openedMs < beforeMs) outlet.close();
}

export function serveEvents(options: EventsOptions, outlets: OpenOutlets): Middleware {
  const steps: Readonly<Record<string, Step>> = {
    [`GET ${EVENTS_PATH}`]: (ctx) => openStream(options, outlets, ctx),
    [`POST ${MESSAGES_PATH}`]: (ctx) => servePost(options, outlets, ctx),
  };
  return async (ctx) => {
    await steps[`${ctx.method} ${ctx.path}`]?.(ctx);
  };
}

export const checkEventsPath: Middleware = (ctx, next) => {
  const methods = new Map([
    [EVENTS_PATH, 'GET'],
    [MESSAGES_PATH, 'POST'],
  ]);
  const method = methods.get(ctx.path);
  if (method === undefined) throw pathUnknown(EVENTS_PATH);
  if (ctx.method === method) return next();
  ctx.set('Allow', method);
  throw methodNotPossible(ctx.method, [method]);
};

/** Throws ERR_MESSAGE_INVALID for a batch, because HTTP+SSE is older than batches. */
export function refuseBatches(): never {
  throw batchInvalid('the transport HTTP+SSE does not support them');
}

function openStream(options: EventsOptions, outlets: OpenOutlets, ctx: RequestContext): void {
  const { host, limits, unread, counts, nowMs } = options;
  const id = mintSessionId();
  // A stream without a name is not resumable, so it buffers nothing.
  const byteBudget = new ByteBudget(0);
  const stream = new EventStream({
    name: undefined,
    beginsEmpty: false,
    limits,
    budget: byteBudget,
    unread,
    counts,
  });
  const outlet = new StreamOutlet(stream, options.policy && judgeSession(options.policy, ctx, id));
  outlets.set(id, { outlet, owner: ctx.state.owner, openedMs: nowMs() });
  // A relative address, because the proxy does not know the host name that clients use.
  const endpoint = `${prefixFor(ctx, options)}${MESSAGES_PATH}?session_id=${id}`;
  ctx.respond = false;
  ctx.res.once('close', () => {
    outlets.delete(id);
    void host.find(id)?.end();
  });
  stream.attach(ctx.res, undefined, () => undefined);
  stream.sendOther('endpoint', endpoint);
}

/** Rejects messages without a stream before policies read them. */
export function requireStream(outlets: Pick<OpenOutlets, 'get'>): Middleware {
  return (ctx, next) => {
    if (ctx.method === 'POST') outletOf(outlets, ctx);
    return next();
  };
}

export function findStream(
  outlets: Pick<OpenOutlets, 'get'>,
): (ctx: RequestContext) => SendOnStream | undefined {
  return (ctx) => {
    const outlet = outlets.get(new URLSearchParams(ctx.querystring).get('session_id') ?? '');
    if (outlet === undefined || outlet.owner !== ctx.state.owner) return undefined;
    const { line, stream } = outlet.outlet;
    return (message) => line.take(message, (text) => stream.send(text, false));
  };
}

function outletOf(
  outlets: Pick<OpenOutlets, 'get'>,
  ctx: RequestContext,
): { readonly id: string; readonly outlet: StreamOutlet } {
  const id = new URLSearchParams(ctx.querystring).get('session_id');
  if (id === null || id === '') throw sessionMissing();
  const { outlet, owner } = outlets.get(id) ?? {};
  // The same error as for an unknown session: a session id is no proof of identity.
  if (outlet === undefined || owner !== ctx.state.owner) throw sessionUnknown();
  return { id, outlet };
}

async function servePost(
  options: EventsOptions,
  outlets: Pick<OpenOutlets, 'get'>,
  ctx: RequestContext,
): Promise<void> {
  const { id, outlet } = outletOf(outlets, ctx);
  const [one] = ctx.state.messages;
  if (one === undefined) return;
  if (ctx.state.era?.era === 'modern-notification') {
    // Accept and drop the notification, because the server does not know the request id in it.
    ctx.status = 202;
    return;
  }
  if (one.settled === undefined) await forward(options, outlet, id, one.message, ctx);
  else if (one.settled.response !== undefined) outlet.stream.send(one.settled.response, false);
  ctx.status = 202;
  ctx.body = 'Accepted';
}

async function forward(
  { host, policy }: EventsOptions,
  outlet: StreamOutlet,
  id: string,
  message: Message,
  ctx: RequestContext,
): Promise<void> {
  const reply = judgedReply(new StreamReply(outlet.stream), policy, ctx, {
    message,
    line: outlet.line,
    begunSession: id,
  });
  const opens = message.kind === 'request' && message.method === 'initialize';
  // A second `initialize` on a shared process would affect all its clients.
  if (opens && outlet.isOpening) throw sessionAlreadyStarted();
  const session = host.find(id);
  if (session === undefined) {
    if (!opens) throw sessionMissing();
    outlet.isOpening = true;
    try {
      const isOurs = ctx.state.ownRequest !== undefined;
      const { owner } = ctx.state;
      await host.open({ initialize: message, outlet, id, owner, reply, isOurs, sender: senderOf(ctx) });
    } catch (error) {
      outlet.refused();
      throw error;
    }
    return;
  }
  checkLegacyVersion(ctx);
  const sender = senderOf(ctx);
  if (message.kind === 'request') session.request(message, reply, sender);
  else if (message.kind === 'notification') session.notify(message, sender);
  else session.respond(message, sender);
}
