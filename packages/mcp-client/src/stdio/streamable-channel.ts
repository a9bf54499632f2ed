import {
  hasClaim,
  memberOf,
  type Message,
  type RequestMessage,
  parseServerMessage,
  splitServerBatch,
  INTERNAL_ERROR,
} from '@portolan/mcp-protocol';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import type { Channel, ChannelEvents, ChannelAddress } from './channel.ts';
import { isEventStream, readBody, readEvents } from './client-http.ts';
import { learnTools } from './learn-tools.ts';
import { LegacySession } from './legacy-session.ts';
import { ModernHeaders } from './modern-headers.ts';
import type { PendingRequest } from './pending-requests.ts';
import { readResponse } from './read-response.ts';
import { sendPatiently } from './send-patiently.ts';
import { sentenceOf } from './sentence-of.ts';
import { revisionChanged } from './stdio-client-errors.ts';

const HEADER_MISMATCH = -32020;
const END_MS = 2000;
const MAX_RETRY_MS = 30_000;
/** Maximum consecutive resumptions of a stream without a new event. */
const MAX_RESUMES = 5;

interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

export class StreamableChannel implements Channel {
  readonly #place: ChannelAddress;
  readonly #events: ChannelEvents;
  readonly #version: string;
  readonly #session = new LegacySession();
  readonly #modern = new ModernHeaders();
  readonly #closing = new AbortController();
  #listening: AbortController | undefined;
  #renewing: Promise<void> | undefined;

  constructor(place: ChannelAddress, events: ChannelEvents, version: string) {
    this.#place = place;
    this.#events = events;
    this.#version = version;
  }

  async ask(pending: PendingRequest): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, pending.controller.signal]);
    try {
      await this.#exchange(pending, signal);
      if (pending.isAnswered || pending.isDeferred) return;
      await this.#events.failed(
        pending,
        INTERNAL_ERROR,
        `${this.#place.name} disconnected before it responded`,
      );
    } catch (error) {
      if (signal.aborted) return;
      await this.#events.failed(pending, INTERNAL_ERROR, sentenceOf(error));
    }
  }

  async post(message: Exclude<Message, { kind: 'request' }>): Promise<void> {
    try {
      const headers =
        message.kind === 'notification' && hasClaim(message)
          ? this.#modern.headersOf(message)
          : this.#session.headers();
      const response = await this.#send('POST', headers, this.#closing.signal, message.text);
      await readBody(response);
      const isTaken = response.statusCode !== undefined && response.statusCode < 300;
      if (!isTaken)
        this.#events.tell(`${this.#place.name} refused a message with status ${response.statusCode}`);
      if (isTaken && message.kind === 'notification' && message.method === 'notifications/initialized')
        this.#listen();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#events.tell(`a message could not be delivered: ${sentenceOf(error)}`);
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
      const response = await this.#send('DELETE', headers, AbortSignal.timeout(END_MS));
      response.destroy();
    } catch {
      // If the proxy is unreachable, its session is gone as well.
    }
  }

  async #exchange(pending: PendingRequest, signal: AbortSignal): Promise<void> {
    const { message } = pending;
    const isModern = hasClaim(message);
    if (isModern && this.#modern.needsTools(message)) await this.#learnTools(message, signal);
    for (let attempt = 0; ; attempt += 1) {
      const session = this.#session.id;
      const headers = isModern ? this.#modern.headersOf(message) : this.#session.headers(message);
      const response = await this.#send('POST', headers, signal, message.text);
      const status = response.statusCode ?? 0;
      if (status === 404 && 'Mcp-Session-Id' in headers && attempt === 0) {
        response.destroy();
        await this.#renew(session);
        continue;
      }
      if (status === 401 && attempt === 0) {
        response.destroy();
        // Read the address and credentials again, because the credentials may have been renewed.
        this.#place.forget();
        continue;
      }
      if (status >= 300) {
        const body = await readBody(response);
        const parsed = parseServerMessage(body);
        const isMismatch =
          typeof parsed !== 'string' && parsed.kind === 'response' && parsed.errorCode === HEADER_MISMATCH;
        if (isMismatch && attempt === 0 && message.method === 'tools/call') {
          // Fetch the tool list again, because the tools have changed since they were cached.
          this.#modern.forget();
          await this.#learnTools(message, signal);
          continue;
        }
        return await this.#refused(pending, status, body);
      }
      if (message.method === 'initialize' && !isModern) this.#session.id = sessionIn(response);
      if (isEventStream(response)) return await this.#followAnswer(pending, response, signal);
      return await this.#take(await readBody(response));
    }
  }

  /** Forwards an error body that is the JSON-RPC response, and creates an error response from any other. */
  async #refused(pending: PendingRequest, status: number, body: string): Promise<void> {
    const message = parseServerMessage(body);
    if (
      typeof message !== 'string' &&
      message.kind === 'response' &&
      message.id.key === pending.message.id.key
    )
      return await this.#events.received(body);
    const parsed = typeof message === 'string' ? undefined : message;
    const why =
      parsed === undefined ? wordsOf(body) : `error ${parsed.kind === 'response' ? parsed.errorCode : ''}`;
    const about = why === '' ? '' : `: ${why}`;
    await this.#events.failed(
      pending,
      INTERNAL_ERROR,
      `${this.#place.name} responded with status ${status}${about}`,
    );
  }

  async #followAnswer(pending: PendingRequest, first: IncomingMessage, signal: AbortSignal): Promise<void> {
    let end = await this.#follow(first, signal);
    for (let failures = 0; !pending.isAnswered && failures < MAX_RESUMES; failures += 1) {
      if (end.lastEventId === undefined || hasClaim(pending.message) || pending.isCancelled) return;
      await pass(end.retryMs ?? this.#delay(failures), undefined, { signal });
      const headers = { ...this.#session.headers(), 'Last-Event-ID': end.lastEventId };
      const response = await this.#send('GET', headers, signal);
      if (response.statusCode !== 200) {
        response.destroy();
        throw new Error(
          `${this.#place.name} disconnected before it responded, and the response is no longer available`,
        );
      }
      const next = await this.#follow(response, signal);
      if (next.lastEventId !== undefined) failures = 0;
      end = { lastEventId: next.lastEventId ?? end.lastEventId, retryMs: next.retryMs ?? end.retryMs };
    }
  }

  #listen(): void {
    this.#listening?.abort();
    const own = new AbortController();
    this.#listening = own;
    const signal = AbortSignal.any([this.#closing.signal, own.signal]);
    void this.#keepListening(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#events.broken(error);
    });
  }

  async #keepListening(signal: AbortSignal): Promise<void> {
    let last: string | undefined;
    for (let failures = 0; !signal.aborted; failures += 1) {
      const session = this.#session.id;
      try {
        const resume = last === undefined ? {} : { 'Last-Event-ID': last };
        const response = await this.#send('GET', { ...this.#session.headers(), ...resume }, signal);
        if (response.statusCode === 404 && session !== undefined) {
          response.destroy();
          // The renewal opens the stream of the new session.
          return await this.#renew(session);
        }
        if (response.statusCode !== 200) {
          // The server offers no stream for its own messages.
          response.destroy();
          return;
        }
        const end = await this.#follow(response, signal);
        last = end.lastEventId ?? last;
        failures = 0;
        await pass(end.retryMs ?? this.#delay(0), undefined, { signal });
      } catch (error) {
        if (signal.aborted || isConflict(error)) throw error;
        await pass(this.#delay(failures), undefined, { signal });
      }
    }
  }

  #delay(failures: number): number {
    return Math.min(this.#place.retryMs * 2 ** failures, MAX_RETRY_MS);
  }

  async #follow(response: IncomingMessage, signal: AbortSignal): Promise<StreamEnd> {
    let lastEventId: string | undefined;
    let retryMs: number | undefined;
    try {
      for await (const { data, id, raw } of readEvents(response)) {
        if (id !== undefined && id !== '') lastEventId = id;
        const [, retry] = /^retry: ?(\d{1,6})\r?$/m.exec(raw.toString('latin1')) ?? [];
        if (retry !== undefined) retryMs = Number(retry);
        if (data !== undefined && data !== '') await this.#take(data);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // The stream broke. The caller resumes it.
    }
    return { lastEventId, retryMs };
  }

  async #take(text: string): Promise<void> {
    for (const one of splitServerBatch(text) ?? [text]) await this.#events.received(one);
  }

  /** Opens a session with the parameters of the lost session. Concurrent callers share one attempt. */
  async #renew(lost: string | undefined): Promise<void> {
    if (this.#session.id !== lost) return;
    this.#renewing ??= this.#begin().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #begin(): Promise<void> {
    const history = this.#session.history();
    const { name } = this.#place;
    if (history === undefined) throw new Error(`${name} does not know this session`);
    const { greeting, rest } = history;
    const signal = this.#closing.signal;
    const response = await this.#send('POST', {}, signal, greeting.text);
    const reply = await readResponse(response, greeting);
    if (reply === undefined)
      throw new Error(`${name} refused a new session with status ${response.statusCode}`);
    const before = this.#session.revision;
    const now = memberOf(reply, 'protocolVersion');
    if (now !== before) {
      const error = revisionChanged(name, before ?? '', String(now));
      this.#events.broken(error);
      throw error;
    }
    this.#session.id = sessionIn(response);
    for (const text of rest) {
      const sent = await this.#send('POST', this.#session.headers(), signal, text);
      await readBody(sent);
    }
    this.#events.tell(`${name} lost the session, probably because of a restart; a new session was opened`);
    this.#listen();
  }

  async #learnTools(message: RequestMessage, signal: AbortSignal): Promise<void> {
    await learnTools(this.#modern, message, this.#version, (headers, text) =>
      this.#send('POST', headers, signal, text),
    );
  }

  #send(
    method: 'POST' | 'GET' | 'DELETE',
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: string,
  ): Promise<IncomingMessage> {
    return sendPatiently(this.#place, { method, headers, signal, ...(body === undefined ? {} : { body }) });
  }
}

function sessionIn({ headers }: IncomingMessage): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_REVISION_CHANGED';
}

function wordsOf(body: string): string {
  return body.trimStart().startsWith('<') ? '' : body.trim().slice(0, 300);
}
