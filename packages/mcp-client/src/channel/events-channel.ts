import { setTimeout as pass } from 'node:timers/promises';
import { isJsonObject, memberOf, type Message, parseServerMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { Channel, ChannelEvents, ChannelRoute } from './channel.ts';
import { resumeDelay } from './follow-stream.ts';
import { HttpFault, toHttpFault } from './http-fault.ts';
import { type HttpReply, readBody, readEvents } from './http-reply.ts';
import { LegacySession } from './legacy-session.ts';
import type { PendingRequest } from './pending-requests.ts';
import { disconnected, isRevisionChange, revisionChanged, sessionLost } from './session-errors.ts';
import { statusFault } from './status-fault.ts';
import { withTimeout } from './with-timeout.ts';

interface Refusal {
  readonly reply: HttpReply;
  readonly body: string;
}

/** `initialize` by which the channel itself opens a replacement session. The client gets no response to it. */
interface Regreeting {
  readonly key: string;
  readonly done: (result: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** Channel over HTTP+SSE, where one stream carries all messages of the server and represents the session. */
export class EventsChannel implements Channel {
  readonly #route: ChannelRoute;
  readonly #events: ChannelEvents;
  readonly #session = new LegacySession();
  readonly #closing = new AbortController();
  readonly #waiting = new Set<PendingRequest>();
  /** Address for messages, once the stream has announced it. */
  #stream: Promise<URL> | undefined;
  #drop = new AbortController();
  /** Settles when the previous stream has ended and its pending requests have failed. */
  #ended: Promise<void> | undefined;
  /** Whether the session is gone. The client does not know, so the channel must open another session. */
  #isLost = false;
  #renewing: Promise<void> | undefined;
  #regreeting: Regreeting | undefined;

  constructor(route: ChannelRoute, events: ChannelEvents) {
    this.#route = route;
    this.#events = events;
  }

  async ask(pending: PendingRequest): Promise<void> {
    const { message, sender, controller } = pending;
    try {
      for (let attempt = 0; ; attempt += 1) {
        if (this.#isLost) await this.#renew();
        this.#waiting.add(pending);
        const refusal = await this.#post(message.text, controller.signal, sender);
        if (refusal === undefined) return;
        if (refusal.reply.status !== 404 || attempt > 0 || !this.#session.hasGreeted)
          return await this.#refused(pending, refusal);
        this.#waiting.delete(pending);
        await this.#forgetSession();
      }
    } catch (error) {
      if (this.#closing.signal.aborted || controller.signal.aborted) return;
      const fault = toHttpFault(error);
      await this.#fail(pending, fault);
      if (fault.reason === 'session-lost') this.#events.broken(fault);
    }
  }

  async post(
    { text }: Exclude<Message, { kind: 'request' }>,
    sender?: MessageSender,
    timeoutMs?: number,
  ): Promise<void> {
    try {
      if (this.#isLost) await this.#renew();
      const refusal = await this.#post(text, withTimeout(this.#closing.signal, timeoutMs), sender);
      if (refusal !== undefined)
        this.#events.tell(`${this.#route.name} refused a message with status ${refusal.reply.status}`);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#events.tell(`a message could not be delivered: ${toHttpFault(error).message}`);
    }
  }

  succeeded(pending: PendingRequest, result: unknown): void {
    this.#waiting.delete(pending);
    this.#session.learn(pending.message, result);
  }

  /** Ends a cancelled request at once, because nothing on the stream shows that no response will come. */
  cancelled(pending: PendingRequest): boolean {
    this.#waiting.delete(pending);
    return true;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#stream?.catch(() => undefined);
  }

  /** Ends the stream of a session that the server does not know, although the stream has not ended yet. */
  async #forgetSession(): Promise<void> {
    if (!this.#route.isRecovering) throw sessionLost(this.#route.name);
    this.#isLost = true;
    this.#drop.abort();
    await this.#ended;
  }

  async #refused(pending: PendingRequest, { reply, body }: Refusal): Promise<void> {
    const message = parseServerMessage(body);
    const isAnswer =
      typeof message !== 'string' && message.kind === 'response' && message.id.key === pending.message.id.key;
    if (isAnswer) await this.#events.received(body, pending);
    else await this.#fail(pending, statusFault(this.#route.name, reply, body));
  }

  async #fail(pending: PendingRequest, fault: HttpFault): Promise<void> {
    this.#waiting.delete(pending);
    if (!pending.isAnswered) await this.#events.failed(pending, fault);
  }

  /** Posts a message. Returns undefined when the server accepted it, otherwise the error response. */
  async #post(
    body: string,
    signal: AbortSignal,
    sender: MessageSender | undefined,
  ): Promise<Refusal | undefined> {
    const url = await this.#open(sender);
    const reply = await this.#route.send({ method: 'POST', url, headers: {}, body, sender, signal });
    const text = await readBody(reply, this.#route.maxMessageBytes);
    return reply.status < 300 ? undefined : { reply, body: text };
  }

  async #open(sender: MessageSender | undefined): Promise<URL> {
    this.#stream ??= this.#begin(sender).catch((error: unknown) => {
      this.#stream = undefined;
      throw error;
    });
    return await this.#stream;
  }

  async #begin(sender: MessageSender | undefined): Promise<URL> {
    this.#drop = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, this.#drop.signal]);
    const reply = await this.#route.send({ method: 'GET', headers: {}, sender, signal });
    if (reply.status !== 200) {
      const body = await readBody(reply, this.#route.maxMessageBytes);
      throw statusFault(this.#route.name, reply, body);
    }
    const { promise, resolve, reject } = Promise.withResolvers<URL>();
    void this.#run(reply, resolve, reject);
    return await promise;
  }

  async #run(
    reply: HttpReply,
    opened: (address: URL) => void,
    failed: (error: unknown) => void,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    let hasOpened = false;
    const fault = await this.#follow(reply, (address) => {
      hasOpened = true;
      opened(address);
    });
    // Rejects callers that wait for the stream, if it was not open yet.
    failed(fault ?? disconnected(this.#route.name));
    if (this.#closing.signal.aborted) return;
    await this.#lost(fault);
    resolve();
    if (!this.#route.isRecovering) {
      if (hasOpened) this.#events.broken(fault ?? disconnected(this.#route.name));
      return;
    }
    try {
      await this.#again();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#events.broken(error);
    }
  }

  async #follow(reply: HttpReply, opened: (address: URL) => void): Promise<unknown> {
    try {
      for await (const { event, data } of readEvents(reply, this.#route.maxMessageBytes)) {
        if (data === undefined || data === '') continue;
        if (event === 'endpoint') opened(this.#route.addressOf(data, reply));
        else if (!this.#isRegreeted(data)) await this.#events.received(data);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #isRegreeted(text: string): boolean {
    const waiting = this.#regreeting;
    if (waiting === undefined) return false;
    const message = parseServerMessage(text);
    if (typeof message === 'string' || message.kind !== 'response' || message.id.key !== waiting.key)
      return false;
    waiting.done(message.result);
    return true;
  }

  async #lost(fault: unknown): Promise<void> {
    this.#stream = undefined;
    const lost = fault instanceof HttpFault ? fault : disconnected(this.#route.name, fault);
    for (const pending of this.#waiting) if (!pending.isCancelled) await this.#fail(pending, lost);
    this.#waiting.clear();
    this.#regreeting?.failed(fault);
    this.#isLost ||= this.#session.hasGreeted;
  }

  /** Replaces the session in the background, for the server's own messages. Requests do not wait for it. */
  async #again(): Promise<void> {
    const signal = this.#closing.signal;
    for (let failures = 0; this.#isLost && !signal.aborted; failures += 1) {
      try {
        await pass(resumeDelay(this.#route, failures), undefined, { signal });
        if (this.#isLost) await this.#renew();
      } catch (error) {
        if (signal.aborted) return;
        if (isRevisionChange(error)) throw error;
      }
    }
  }

  /** Opens a session with the parameters of the lost session. Concurrent callers share one attempt. */
  async #renew(): Promise<void> {
    if (!this.#route.isRecovering) throw sessionLost(this.#route.name);
    this.#renewing ??= this.#regreet().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #regreet(): Promise<void> {
    const history = this.#session.history();
    if (history === undefined) return;
    const { greeting, rest } = history;
    const signal = this.#closing.signal;
    await this.#open(undefined);
    const { promise: answered, resolve: done, reject: failed } = Promise.withResolvers<unknown>();
    void answered.catch(() => undefined); // when `initialize` is refused, nothing awaits this promise
    this.#regreeting = { key: greeting.id.key, done, failed };
    try {
      const refusal = await this.#post(greeting.text, signal, undefined);
      if (refusal !== undefined) throw new Error(`status ${refusal.reply.status}`);
      const result = await answered;
      const before = this.#session.revision ?? '';
      const now = isJsonObject(result) ? String(memberOf(result, 'protocolVersion')) : '';
      if (now !== before) throw revisionChanged(this.#route.name, before, now);
    } finally {
      this.#regreeting = undefined;
    }
    // The responses to these messages have ids that the client does not know, so they are ignored.
    for (const text of rest) await this.#post(text, signal, undefined);
    this.#isLost = false;
    this.#events.tell(`${this.#route.name} was restarted or disconnected; a new session was opened`);
  }
}
