import {
  isJsonObject,
  memberOf,
  type Message,
  parseServerMessage,
  INTERNAL_ERROR,
} from '@portolan/mcp-protocol';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { messageAddressOf } from '../message-address.ts';
import type { Channel, ChannelEvents, ChannelAddress } from './channel.ts';
import { isNobodyThere, readBody, readEvents, sendToProxy } from './client-http.ts';
import { LegacySession } from './legacy-session.ts';
import type { PendingRequest } from './pending-requests.ts';
import { retryDelayOf } from './retry-delay.ts';
import { sentenceOf } from './sentence-of.ts';
import { revisionChanged } from './stdio-client-errors.ts';
import type { StdioClientTarget } from './stdio-client-options.ts';

const MAX_RETRY_MS = 30_000;

interface OpenStream {
  readonly target: StdioClientTarget;
  readonly address: URL;
}

/** Channel over HTTP+SSE, where one stream carries all messages of the server and represents the session. */
export class EventsChannel implements Channel {
  readonly #place: ChannelAddress;
  readonly #events: ChannelEvents;
  readonly #session = new LegacySession();
  readonly #closing = new AbortController();
  readonly #waiting = new Set<PendingRequest>();
  #stream: Promise<OpenStream> | undefined;
  #drop = new AbortController();
  /** Settles when the previous stream has ended and its pending requests have failed. */
  #ended: Promise<void> | undefined;
  /** Whether the session is gone. The client does not know, so the channel must open another session. */
  #isLost = false;
  #renewing: Promise<void> | undefined;
  /**
   * `initialize` by which the channel itself opens a replacement session. The client does not get its
   * response.
   */
  #regreeting:
    | {
        readonly key: string;
        readonly done: (result: unknown) => void;
        readonly failed: (error: unknown) => void;
      }
    | undefined;

  constructor(place: ChannelAddress, events: ChannelEvents) {
    this.#place = place;
    this.#events = events;
  }

  async ask(pending: PendingRequest): Promise<void> {
    try {
      for (let attempt = 0; ; attempt += 1) {
        if (this.#isLost) await this.#renew();
        this.#waiting.add(pending);
        const refusal = await this.#post(pending.message.text, pending.controller.signal);
        if (refusal === undefined) return;
        if (refusal.status !== 404 || attempt > 0 || !this.#session.hasGreeted)
          return await this.#refused(pending, refusal);
        // The session is gone, but the stream has not ended yet.
        this.#waiting.delete(pending);
        this.#isLost = true;
        this.#drop.abort();
        await this.#ended;
      }
    } catch (error) {
      if (this.#closing.signal.aborted || pending.controller.signal.aborted) return;
      await this.#fail(pending, sentenceOf(error));
    }
  }

  async post({ text }: Exclude<Message, { kind: 'request' }>): Promise<void> {
    try {
      if (this.#isLost) await this.#renew();
      const refusal = await this.#post(text, this.#closing.signal);
      if (refusal !== undefined)
        this.#events.tell(`${this.#place.name} refused a message with status ${refusal.status}`);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#events.tell(`a message could not be delivered: ${sentenceOf(error)}`);
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

  async #refused(
    pending: PendingRequest,
    { status, body }: { readonly status: number; readonly body: string },
  ): Promise<void> {
    const message = parseServerMessage(body);
    const isAnswer =
      typeof message !== 'string' && message.kind === 'response' && message.id.key === pending.message.id.key;
    if (isAnswer) await this.#events.received(body);
    else await this.#fail(pending, `${this.#place.name} responded with status ${status}`);
  }

  async #fail(pending: PendingRequest, why: string): Promise<void> {
    this.#waiting.delete(pending);
    if (!pending.isAnswered) await this.#events.failed(pending, INTERNAL_ERROR, why);
  }

  /** Posts a message. Returns undefined when the proxy accepted it, otherwise the error response. */
  async #post(
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: string } | undefined> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const until = performance.now() + this.#place.startTimeoutMs;
    for (;;) {
      const { target, address } = await this.#open();
      const response = await sendToProxy(address, {
        method: 'POST',
        headers: target.headers,
        body,
        signal: either,
      });
      const text = await readBody(response);
      const status = response.statusCode ?? 0;
      const delayMs = retryDelayOf(response);
      if (delayMs === undefined || performance.now() + delayMs > until)
        return status >= 200 && status < 300 ? undefined : { status, body: text };
      await pass(delayMs, undefined, { signal: either });
    }
  }

  async #open(): Promise<OpenStream> {
    this.#stream ??= this.#begin().catch((error: unknown) => {
      this.#stream = undefined;
      throw error;
    });
    return await this.#stream;
  }

  async #begin(): Promise<OpenStream> {
    const { target, response } = await this.#connect();
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`${this.#place.name} responded with status ${response.statusCode}`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<OpenStream>();
    void this.#run(response, target, resolve, reject);
    return await promise;
  }

  async #run(
    response: IncomingMessage,
    target: StdioClientTarget,
    opened: (stream: OpenStream) => void,
    failed: (error: unknown) => void,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    const fault = await this.#follow(response, target, opened);
    // Rejects callers that wait for the stream, if it was not open yet.
    failed(new Error(`${this.#place.name} disconnected`, { cause: fault }));
    if (this.#closing.signal.aborted) return;
    await this.#lost(fault);
    resolve();
    try {
      await this.#again();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#events.broken(error);
    }
  }

  async #connect(): Promise<{ readonly target: StdioClientTarget; readonly response: IncomingMessage }> {
    this.#drop = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, this.#drop.signal]);
    const begunMs = performance.now();
    const until = begunMs + this.#place.patienceMs;
    for (;;) {
      const target = await this.#place.target();
      try {
        const response = await sendToProxy(target.url, { method: 'GET', headers: target.headers, signal });
        const delayMs = retryDelayOf(response);
        if (delayMs === undefined || performance.now() + delayMs > begunMs + this.#place.startTimeoutMs)
          return { target, response };
        response.destroy();
        this.#place.forget();
        await pass(delayMs, undefined, { signal });
      } catch (error) {
        signal.throwIfAborted();
        this.#place.forget();
        const why = `${this.#place.name} does not respond at its address; \`portolan status ${this.#place.name}\` shows its state`;
        if (!isNobodyThere(error) || performance.now() > until) throw new Error(why, { cause: error });
        await pass(this.#place.retryMs, undefined, { signal });
      }
    }
  }

  async #follow(
    response: IncomingMessage,
    target: StdioClientTarget,
    opened: (stream: OpenStream) => void,
  ): Promise<unknown> {
    try {
      for await (const { event, data } of readEvents(response)) {
        if (data === undefined || data === '') continue;
        if (event === 'endpoint') opened({ target, address: messageAddressOf(data, target) });
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
    const text = fault instanceof Error ? `: ${fault.message}` : '';
    for (const pending of this.#waiting)
      if (!pending.isCancelled)
        await this.#fail(pending, `${this.#place.name} disconnected before it responded${text}`);
    this.#waiting.clear();
    this.#regreeting?.failed(fault);
    this.#isLost ||= this.#session.hasGreeted;
  }

  /** Replaces the session in the background, for the server's own messages. Requests do not wait for it. */
  async #again(): Promise<void> {
    const signal = this.#closing.signal;
    for (let failures = 0; this.#isLost && !signal.aborted; failures += 1) {
      try {
        await pass(Math.min(this.#place.retryMs * 2 ** failures, MAX_RETRY_MS), undefined, { signal });
        if (this.#isLost) await this.#renew();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Error && 'code' in error && error.code === 'ERR_REVISION_CHANGED') throw error;
      }
    }
  }

  /** Opens a session with the parameters of the lost session. Concurrent callers share one attempt. */
  async #renew(): Promise<void> {
    this.#renewing ??= this.#regreet().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #regreet(): Promise<void> {
    const history = this.#session.history();
    if (history === undefined) return;
    const { greeting, rest } = history;
    await this.#open();
    const { promise: answered, resolve: done, reject: failed } = Promise.withResolvers<unknown>();
    void answered.catch(() => undefined); // when `initialize` is refused, nothing awaits this promise
    this.#regreeting = { key: greeting.id.key, done, failed };
    try {
      const refusal = await this.#post(greeting.text, this.#closing.signal);
      if (refusal !== undefined) throw new Error(`status ${refusal.status}`);
      const result = await answered;
      const before = this.#session.revision ?? '';
      const now = isJsonObject(result) ? String(memberOf(result, 'protocolVersion')) : '';
      if (now !== before) throw revisionChanged(this.#place.name, before, now);
    } finally {
      this.#regreeting = undefined;
    }
    // The responses to these messages have ids that the client does not know, so they are ignored.
    for (const text of rest) await this.#post(text, this.#closing.signal);
    this.#isLost = false;
    this.#events.tell(`${this.#place.name} was restarted or disconnected; a new session was opened`);
  }
}
