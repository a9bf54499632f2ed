import { setTimeout as pass } from 'node:timers/promises';
import { hasClaim, memberOf, type Message, parseServerMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { Channel, ChannelEvents, ChannelRequest, ChannelRoute } from './channel.ts';
import {
  followStream,
  type FollowOptions,
  listenForMessages,
  resumeDelay,
  takeText,
} from './follow-stream.ts';
import { HttpFault, toHttpFault } from './http-fault.ts';
import { type HttpReply, isEventStream, readBody } from './http-reply.ts';
import { learnTools } from './learn-tools.ts';
import { LegacySession } from './legacy-session.ts';
import { saysSessionLost } from './lost-session.ts';
import { ModernHeaders } from './modern-headers.ts';
import { readSessionId } from './session-id.ts';
import type { PendingRequest } from './pending-requests.ts';
import { readResponse } from './read-response.ts';
import { isRepeatable } from './repeatable-methods.ts';
import { disconnected, isRevisionChange, revisionChanged, sessionLost } from './session-errors.ts';
import { statusFault } from './status-fault.ts';
import { withTimeout } from './with-timeout.ts';

const HEADER_MISMATCH = -32020;
const END_MS = 2000;
/** Maximum consecutive resumptions of a stream without a new event. */
const MAX_RESUMES = 5;

/** Channel over streamable HTTP: each message is a POST, and the server's own messages come on a stream. */
export class StreamableChannel implements Channel {
  readonly #route: ChannelRoute;
  readonly #events: ChannelEvents;
  readonly #version: string;
  readonly #session = new LegacySession();
  readonly #modern = new ModernHeaders();
  readonly #closing = new AbortController();
  #listening: AbortController | undefined;
  #renewing: Promise<void> | undefined;
  /** Sender of the last request of the session. The channel uses its credentials for requests of its own. */
  #opener: MessageSender | undefined;

  constructor(route: ChannelRoute, events: ChannelEvents, version: string) {
    this.#route = route;
    this.#events = events;
    this.#version = version;
  }

  async ask(pending: PendingRequest): Promise<void> {
    const { signal } = pending.controller;
    try {
      await this.#exchange(pending);
      if (pending.isAnswered || pending.isDeferred) return;
      await this.#events.failed(pending, disconnected(this.#route.name));
    } catch (error) {
      if (signal.aborted || this.#closing.signal.aborted) return;
      const fault = toHttpFault(error);
      await this.#events.failed(pending, fault);
      if (fault.reason === 'session-lost') this.#events.broken(fault);
    }
  }

  async post(
    message: Exclude<Message, { kind: 'request' }>,
    sender?: MessageSender,
    timeoutMs?: number,
  ): Promise<void> {
    try {
      const headers =
        message.kind === 'notification' && hasClaim(message)
          ? this.#modern.headersOf(message)
          : this.#session.headers();
      const signal = withTimeout(this.#closing.signal, timeoutMs);
      const reply = await this.#send({ method: 'POST', headers, body: message.text, sender, signal });
      const body = await readBody(reply, this.#route.maxMessageBytes);
      if (reply.status >= 300) {
        this.#events.tell(`${this.#route.name} refused a message with status ${reply.status}`);
        if (this.#isLost(reply, headers, body) && !this.#route.isRecovering)
          this.#events.broken(sessionLost(this.#route.name));
      } else if (message.kind === 'notification' && message.method === 'notifications/initialized') {
        this.#listen();
      }
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#events.tell(`a message could not be delivered: ${toHttpFault(error).message}`);
    }
  }

  succeeded({ message }: PendingRequest, result: unknown): void {
    if (!hasClaim(message)) this.#session.learn(message, result);
    else if (message.method === 'tools/list') this.#modern.learn(result);
  }

  /** Returns false, because the end of the POST response shows when a cancelled request is over. */
  cancelled(): boolean {
    return false;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#session.id === undefined) return;
    try {
      const headers = this.#session.headers();
      const [sender, signal] = [this.#opener, AbortSignal.timeout(END_MS)];
      const reply = await this.#send({ method: 'DELETE', headers, sender, signal });
      reply.discard();
    } catch {
      // If the server is unreachable, its session is gone as well.
    }
  }

  async #exchange(pending: PendingRequest): Promise<void> {
    const { message, sender, controller } = pending;
    const { signal } = controller;
    const isModern = hasClaim(message);
    // A later token of the same client is valid for longer.
    if (!isModern && this.#opener !== undefined) this.#opener = sender ?? this.#opener;
    const body = message.text;
    if (isModern && this.#modern.needsTools(message)) await this.#learnTools(pending);
    for (let attempt = 0; ; attempt += 1) {
      const session = this.#session.id;
      const headers = isModern ? this.#modern.headersOf(message) : this.#session.headers(message);
      const isSafe = isRepeatable(message.method);
      const reply = await this.#send({ method: 'POST', headers, body, isRepeatable: isSafe, sender, signal });
      if (reply.status < 300) {
        if (message.method === 'initialize' && !isModern) this.#noteSession(reply, sender);
        return await this.#follow(pending, reply);
      }
      const text = await readBody(reply, this.#route.maxMessageBytes);
      if (attempt === 0 && this.#isLost(reply, headers, text)) {
        await this.#renew(session);
        continue;
      }
      if (attempt === 0 && message.method === 'tools/call' && codeIn(text) === HEADER_MISMATCH) {
        // Fetch the tool list again, because the tools have changed since they were cached.
        this.#modern.forget();
        await this.#learnTools(pending);
        continue;
      }
      return await this.#refused(pending, reply, text);
    }
  }

  #noteSession(reply: HttpReply, sender: MessageSender | undefined): void {
    this.#session.id = readSessionId(reply, this.#route.name);
    this.#opener = sender;
  }

  #isLost({ status }: HttpReply, headers: Readonly<Record<string, string>>, body: string): boolean {
    return 'Mcp-Session-Id' in headers && saysSessionLost(status, body);
  }

  /** Forwards an error body that is the JSON-RPC response, and fails with any other. */
  async #refused(pending: PendingRequest, reply: HttpReply, body: string): Promise<void> {
    const message = parseServerMessage(body);
    const isAnswer =
      typeof message !== 'string' && message.kind === 'response' && message.id.key === pending.message.id.key;
    if (isAnswer) return await this.#events.received(body, pending);
    throw statusFault(this.#route.name, reply, body);
  }

  async #follow(pending: PendingRequest, first: HttpReply): Promise<void> {
    const { signal } = pending.controller;
    const isModern = hasClaim(pending.message);
    const options = { ...this.#followOptions(signal), pending, isOnlyAnswer: isModern };
    if (!isEventStream(first)) {
      const text = await readBody(first, this.#route.maxMessageBytes);
      if (text.trim() !== '') await takeText(text, options);
      if (pending.isAnswered || pending.isDeferred) return;
      throw new HttpFault('invalid-response', `${this.#route.name} responded without a JSON-RPC response`);
    }
    let end = await followStream(first, options);
    for (let failures = 0; !pending.isAnswered && failures < MAX_RESUMES; failures += 1) {
      if (end.lastEventId === undefined || isModern || pending.isCancelled) return;
      await pass(end.retryMs ?? resumeDelay(this.#route, failures), undefined, { signal });
      const reply = await this.#resume(pending, end.lastEventId);
      const next = await followStream(reply, options);
      if (next.lastEventId !== undefined) failures = 0;
      end = { lastEventId: next.lastEventId ?? end.lastEventId, retryMs: next.retryMs ?? end.retryMs };
    }
  }

  async #resume({ sender, controller: { signal } }: PendingRequest, last: string): Promise<HttpReply> {
    const headers = { ...this.#session.headers(), 'Last-Event-ID': last };
    const reply = await this.#send({ method: 'GET', headers, sender, signal });
    if (reply.status === 200) return reply;
    reply.discard();
    throw new HttpFault(
      'interrupted',
      `${this.#route.name} disconnected before it responded, and the response is no longer available`,
    );
  }

  #listen(): void {
    this.#listening?.abort();
    const own = new AbortController();
    this.#listening = own;
    const signal = AbortSignal.any([this.#closing.signal, own.signal]);
    const session = this.#session.id;
    const listening = listenForMessages({
      ...this.#followOptions(signal),
      open: async (last) => {
        const resume = last === undefined ? {} : { 'Last-Event-ID': last };
        const headers = { ...this.#session.headers(), ...resume };
        return await this.#send({ method: 'GET', headers, sender: this.#opener, signal });
      },
      lost: async () => {
        // A renewal opens the stream of the new session.
        if (session !== undefined) await this.#keepRenewing(session, signal);
      },
    });
    void listening.catch((error: unknown) => {
      if (!signal.aborted) this.#events.broken(error);
    });
  }

  #followOptions(signal: AbortSignal): FollowOptions {
    return { events: this.#events, route: this.#route, signal };
  }

  async #keepRenewing(session: string, signal: AbortSignal): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#renew(session);
      } catch (error) {
        if (signal.aborted || isRevisionChange(error) || !this.#route.isRecovering) throw error;
        await pass(resumeDelay(this.#route, failures), undefined, { signal });
      }
    }
  }

  /**
   * Opens a session with the parameters of the lost session. Concurrent callers share one attempt. Throws in
   * a channel that does not recover.
   */
  async #renew(lost: string | undefined): Promise<void> {
    if (!this.#route.isRecovering) throw sessionLost(this.#route.name);
    if (this.#session.id !== lost) return;
    this.#renewing ??= this.#begin().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #begin(): Promise<void> {
    const history = this.#session.history();
    const { name, maxMessageBytes } = this.#route;
    if (history === undefined) throw sessionLost(name);
    const { greeting, rest } = history;
    const own = { method: 'POST', sender: this.#opener, signal: this.#closing.signal } as const;
    const reply = await this.#send({ ...own, headers: {}, body: greeting.text });
    const result = await readResponse(reply, greeting, maxMessageBytes);
    if (result === undefined) throw new Error(`${name} refused a new session with status ${reply.status}`);
    const before = this.#session.revision;
    const now = memberOf(result, 'protocolVersion');
    if (now !== before) {
      const error = revisionChanged(name, before ?? '', String(now));
      this.#events.broken(error);
      throw error;
    }
    this.#session.id = readSessionId(reply, name);
    for (const body of rest) {
      const sent = await this.#send({ ...own, headers: this.#session.headers(), body });
      await readBody(sent, maxMessageBytes);
    }
    this.#events.tell(`${name} lost the session, probably because of a restart; a new session was opened`);
    this.#listen();
  }

  async #learnTools(pending: PendingRequest): Promise<void> {
    await learnTools(this.#modern, pending, this.#version, this.#route);
  }

  #send(request: ChannelRequest): Promise<HttpReply> {
    return this.#route.send(request);
  }
}

function codeIn(body: string): number | undefined {
  const message = parseServerMessage(body);
  return typeof message !== 'string' && message.kind === 'response' ? message.errorCode : undefined;
}
