import { randomUUID } from 'node:crypto';
import type {
  ResponseHead,
  ClientExchange,
  ClientMessage,
  ClientRequest,
  RequestEnd,
  ServerMessage,
} from '@portolan/plugin-api';
import { proxyEventOf, type ProxyEventType } from './proxy-events.ts';
import type { CallRecord, RecordedResponse } from './proxy-line.ts';

/**
 * Maximum wait in milliseconds for a response on another stream. After it, a line reports that the message
 * was accepted.
 */
const ANSWER_WAIT_MS = 60_000;
/** Maximum wait in milliseconds after a cancellation, because most servers then send no response. */
const CANCELLED_WAIT_MS = 1000;
const MAX_AWAITED = 1000;

export interface CallLogOptions {
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
  readonly isSelected: (type: ProxyEventType) => boolean;
  readonly hearsAnswers: boolean;
  readonly keepsAnswers: boolean;
  /** Whether the start of each call has a record of its own. */
  readonly tellsBeginnings: boolean;
  readonly write: (record: CallRecord) => void;
  readonly answerWaitMs?: number;
  readonly cancelledWaitMs?: number;
}

interface Heard {
  /** The client's messages in order. Most requests have one message. */
  readonly messages: ReceivedMessage[];
  readonly answers: AnsweredCall[];
  isStream: boolean;
  isWritten: boolean;
}

interface ReceivedMessage {
  /** Key of the request's id; empty without one. */
  readonly key: string;
  readonly message: ClientMessage | undefined;
  /** Id of the line about the start, if there is one. */
  readonly id: string | undefined;
}

interface AnsweredCall {
  /** Key of the request's id. */
  readonly key: string;
  readonly response: RecordedResponse;
  readonly at: Date;
  readonly atMs: number;
}

interface Awaited {
  readonly write: () => void;
  /** Writes the line after this time, even without a response. */
  readonly waitAtMost: (ms: number) => void;
}

/** Writes one record about each message and its response. */
export class CallLog {
  readonly #options: CallLogOptions;
  readonly #heard = new WeakMap<ClientRequest, Heard>();
  /** Calls over HTTP+SSE whose responses arrive on another stream, by request and id. */
  readonly #awaited = new Map<ClientRequest, Map<string, Awaited>>();
  #awaitedCount = 0;
  /** Calls that were cancelled before their response, by `cancelKey`, oldest first. */
  readonly #cancelled = new Set<string>();

  constructor(options: CallLogOptions) {
    this.#options = options;
  }

  /** Returns the record of the start, for callers that write it before forwarding. */
  said(message: ClientMessage, { request }: ClientExchange): CallRecord | undefined {
    return this.#begin(request, message);
  }

  /** Works like `said`, for a request without messages. */
  came(request: ClientRequest): CallRecord | undefined {
    return this.#begin(request, undefined);
  }

  answered(response: ServerMessage, { request, message }: ClientExchange): void {
    if (response.kind !== 'response' || message?.kind !== 'request') return;
    const { error, text } = response;
    const heard = {
      error: error === undefined ? undefined : { code: error['code'], message: error['message'] },
      text: this.#options.keepsAnswers ? text : undefined,
      bytes: Buffer.byteLength(text),
    };
    // Of several messages with one id, the last one counts.
    const { clock, nowMs } = this.#options;
    this.#heardOf(request).answers.unshift({ key: message.id, response: heard, at: clock(), atMs: nowMs() });
    this.#awaited.get(request)?.get(message.id)?.write();
  }

  /** Records a response that has begun, which is the only record of long-lived streams. */
  began(begin: ResponseHead, request: ClientRequest, at: Date): void {
    const heard = this.#heardOf(request);
    heard.isStream = true;
    if (request.method !== 'GET' && !begin.messages.some(isSubscription)) return;
    heard.isWritten = true;
    this.#writeAll(request, {
      ...begin,
      at,
      atMs: this.#options.nowMs(),
      responseBytes: undefined,
      refusals: [],
    });
  }

  ended(end: RequestEnd, request: ClientRequest, at: Date): void {
    const heard = this.#heardOf(request);
    if (heard.isWritten) return;
    heard.isWritten = true;
    if (end.refusals.length === 0) for (const message of end.messages) this.#noteCancelled(message, request);
    const ending = { ...end, at, atMs: this.#options.nowMs() };
    const isElsewhere =
      end.status === 202 && this.#options.hearsAnswers && this.#waitForAnswers(request, ending);
    if (!isElsewhere) this.#writeAll(request, ending);
  }

  close(): void {
    for (const ofRequest of this.#awaited.values()) for (const { write } of ofRequest.values()) write();
  }

  #begin(request: ClientRequest, message: ClientMessage | undefined): CallRecord | undefined {
    const { tellsBeginnings, isSelected } = this.#options;
    const id = tellsBeginnings ? randomUUID() : undefined;
    this.#heardOf(request).messages.push({ key: keyOf(message), message, id });
    if (id === undefined) return undefined;
    const type = proxyEventOf(request, message);
    if (!isSelected(type)) return undefined;
    return { id, at: this.#options.clock(), type, request, message, original: message, ending: undefined };
  }

  #heardOf(request: ClientRequest): Heard {
    let heard = this.#heard.get(request);
    if (heard === undefined) {
      heard = { messages: [], answers: [], isStream: false, isWritten: false };
      this.#heard.set(request, heard);
    }
    return heard;
  }

  /** Waits for responses on another stream. Returns false above the limit. */
  #waitForAnswers(request: ClientRequest, end: Ended): boolean {
    const heard = this.#heardOf(request);
    const requestedMessages = end.messages.filter(
      (message) => message.kind === 'request' && !end.refusals.some(({ id }) => id === message.id),
    );
    const open = requestedMessages.filter((message) => answerIn(heard, keyOf(message)) === undefined);
    if (requestedMessages.length === 0 || this.#awaitedCount + open.length > MAX_AWAITED) return false;
    heard.isStream = true;
    const { answerWaitMs = ANSWER_WAIT_MS, cancelledWaitMs = CANCELLED_WAIT_MS } = this.#options;
    const ofRequest = new Map<string, Awaited>();
    if (open.length > 0) this.#awaited.set(request, ofRequest);
    for (const message of open) {
      const key = keyOf(message);
      const write = (): void => {
        clearTimeout(timer);
        if (!ofRequest.delete(key)) return;
        this.#awaitedCount -= 1;
        if (ofRequest.size === 0) this.#awaited.delete(request);
        this.#writeAnswered(request, message, end);
      };
      const isCancelled = this.#cancelled.delete(cancelKey(request, JSON.parse(key)));
      let timer = setTimeout(write, isCancelled ? cancelledWaitMs : answerWaitMs).unref();
      const waitAtMost = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(write, ms).unref();
      };
      ofRequest.set(key, { write, waitAtMost });
      this.#awaitedCount += 1;
    }
    for (const message of end.messages) {
      if (open.includes(message)) continue;
      if (requestedMessages.includes(message)) this.#writeAnswered(request, message, end);
      else this.#writeOne(request, message, end);
    }
    return true;
  }

  /** Records a cancellation, after which servers respond late or never. */
  #noteCancelled(message: ClientMessage, request: ClientRequest): void {
    if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return;
    const { cancelledWaitMs = CANCELLED_WAIT_MS } = this.#options;
    const requested = cancelKey(request, message.params?.['requestId']);
    for (const [clientRequest, ofRequest] of this.#awaited) {
      for (const [key, awaited] of ofRequest) {
        if (cancelKey(clientRequest, JSON.parse(key)) !== requested) continue;
        awaited.waitAtMost(cancelledWaitMs);
        return;
      }
    }
    this.#cancelled.add(requested);
    const [oldest] = this.#cancelled;
    if (oldest !== undefined && this.#cancelled.size > MAX_AWAITED) this.#cancelled.delete(oldest);
  }

  /** Writes the record of a call, with the response on the other stream if it has arrived. */
  #writeAnswered(request: ClientRequest, message: ClientMessage, end: Ended): void {
    const heard = answerIn(this.#heardOf(request), keyOf(message));
    const { clock, nowMs } = this.#options;
    const at = heard?.at ?? clock();
    const responseBytes = heard?.response.bytes ?? end.responseBytes;
    // A response on another stream may precede or follow the end of its request.
    const durationMs = Math.max(0, end.durationMs + (heard?.atMs ?? nowMs()) - end.atMs);
    this.#writeOne(request, message, { ...end, at, responseBytes, durationMs });
  }

  #writeAll(request: ClientRequest, end: Ended): void {
    if (end.messages.length === 0) this.#writeOne(request, undefined, end);
    for (const message of end.messages) this.#writeOne(request, message, end);
  }

  #writeOne(request: ClientRequest, message: ClientMessage | undefined, end: Ended): void {
    const type = proxyEventOf(request, message);
    if (!this.#options.isSelected(type)) return;
    const heard = this.#heardOf(request);
    const before = takeMessages(heard, keyOf(message));
    const response = message?.kind === 'request' ? answerIn(heard, message.id)?.response : undefined;
    const { at, status, durationMs, responseBytes, refusals } = end;
    // A message that was refused before it was parsed may still have an id.
    const refusal =
      message === undefined
        ? refusals[0]
        : refusals.find(({ id }) => id === (message.kind === 'request' ? message.id : undefined));
    this.#options.write({
      id: before?.id ?? randomUUID(),
      at,
      type,
      request,
      message,
      original: before?.message,
      ending: {
        status,
        durationMs,
        responseBytes,
        isStream: heard.isStream,
        refusal: refusal ?? refusals.find(({ id }) => id === undefined),
        response,
      },
    });
  }
}

interface Ended extends Pick<RequestEnd, 'status' | 'durationMs' | 'messages' | 'refusals'> {
  readonly at: Date;
  readonly atMs: number;
  /** Undefined for a long-lived stream. */
  readonly responseBytes: number | undefined;
}

function takeMessages({ messages }: Heard, key: string): ReceivedMessage | undefined {
  const at = messages.findIndex((one) => one.key === key);
  return at < 0 ? undefined : messages.splice(at, 1)[0];
}

function answerIn({ answers }: Heard, key: string): AnsweredCall | undefined {
  return answers.find((one) => one.key === key);
}

/** Returns the key of a cancellation: the address of the session over HTTP+SSE, and the request id. */
function cancelKey({ path, query }: ClientRequest, id: unknown): string {
  return JSON.stringify([path, query, id]);
}

function keyOf(message: ClientMessage | undefined): string {
  return message?.kind === 'request' ? message.id : '';
}

function isSubscription(message: ClientMessage): boolean {
  return message.kind === 'request' && message.method === 'subscriptions/listen';
}
