import { hasEmptyEvents } from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';
import type { Counts } from '../request/counts.ts';
import type { ByteBudget } from '../streams/byte-budget.ts';
import { EventStream, parseEventId, type StreamLimits } from '../streams/event-stream.ts';
import type { JudgeSessionMessage, Outlet, SessionMessage } from './outlet.ts';
import type { Reply } from './reply.ts';
import type { UnreadResponses } from '../streams/unread-responses.ts';

const MAX_MESSAGES = 256;
const MAX_BYTES = 4 * 1024 * 1024;

/** Messages that wait for a stream to the client. A full queue drops the oldest. */
class MessageQueue {
  readonly #counts: Counts;
  #messages: SessionMessage[] = [];
  #bytes = 0;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  get size(): number {
    return this.#messages.length;
  }

  push(message: SessionMessage): void {
    const isKnown =
      message.sameAs !== undefined && this.#messages.some(({ sameAs }) => sameAs === message.sameAs);
    if (isKnown) return;
    this.#messages.push(message);
    this.#bytes += Buffer.byteLength(message.text);
    while (this.#messages.length > MAX_MESSAGES || this.#bytes > MAX_BYTES) this.#dropOldest();
  }

  take(): readonly SessionMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    return messages;
  }

  clear(): void {
    while (this.#messages.length > 0) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#messages.shift();
    if (oldest === undefined) return;
    this.#bytes -= Buffer.byteLength(oldest.text);
    this.#counts.droppedNotifications += 1;
    oldest.dropped?.();
  }
}

export interface OutletOptions {
  readonly limits: StreamLimits & {
    /** Time in milliseconds for which a stream stays resumable after a disconnect. */
    readonly resumableMs: number;
  };
  readonly budget: ByteBudget;
  readonly unread: UnreadResponses;
  readonly counts: Counts;
  readonly isResumable?: boolean;
  readonly streamClosed: () => void;
  readonly judge?: JudgeSessionMessage | undefined;
}

const MAX_FINISHED = 8;

const MAX_CANCELLED = 1000;

/** Streams of one session: one standing stream (GET), and one for each request that needs it. */
export class StreamableOutlet implements Outlet {
  readonly #options: OutletOptions;
  readonly #queue: MessageQueue;
  readonly #streams = new Map<string, EventStream>();
  readonly #forgetting = new Map<string, NodeJS.Timeout>();
  readonly #cancelled = new Set<string>();
  #standing: EventStream | undefined;
  #revision = '';
  #last = 0;
  #isClosed = false;

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#queue = new MessageQueue(options.counts);
  }

  get isOpen(): boolean {
    return this.#standing?.isOpen === true || [...this.#streams.values()].some(({ isOpen }) => isOpen);
  }

  agree(revision: string): void {
    this.#revision = revision;
  }

  /** Does nothing after a refused `initialize`, because the client's next attempt opens a new session. */
  refused(): void {
    return undefined;
  }

  deliver(original: SessionMessage, replies: readonly Reply[]): void {
    const { judge } = this.#options;
    const message = judge === undefined ? original : judge(original);
    if (message === undefined) return;
    if (this.#isClosed) message.dropped?.();
    else if (!this.#trySend(message, replies) && !this.#comesTooFast(message)) this.#queue.push(message);
  }

  openStream(response: ServerResponse): EventStream {
    const stream = this.#makeStream();
    stream.attach(response, undefined, () => this.#forgetLater(stream));
    // Send queued messages in the next turn of the event loop. The message that opened the stream comes
    // first, and may be the only one.
    setImmediate(() => {
      if (stream.isOpen) this.#flush((text, mayDrop) => stream.send(text, mayDrop));
    });
    return stream;
  }

  closeStream(stream: EventStream): void {
    stream.finish();
    this.#forgetLater(stream);
    const finished = [...this.#streams.values()].filter(({ isFinished }) => isFinished);
    for (const { name } of finished.slice(0, -MAX_FINISHED)) this.#forget(name);
  }

  endStream(stream: EventStream): void {
    stream.finish();
    const { name } = stream;
    if (name === undefined) return;
    this.#forget(name);
    this.#cancelled.add(name);
    const [oldest] = this.#cancelled;
    if (this.#cancelled.size > MAX_CANCELLED && oldest !== undefined) this.#cancelled.delete(oldest);
  }

  /**
   * Returns whether the stream that an event id belongs to has ended without a response, because its request
   * was cancelled.
   */
  hasCancelled(lastEventId: string): boolean {
    const at = parseEventId(lastEventId);
    return at !== undefined && this.#cancelled.has(at.name);
  }

  openStanding(response: ServerResponse, lastEventId: string | undefined): void {
    const at = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    const resumed = at === undefined ? undefined : this.#streams.get(at.name);
    if (resumed !== undefined && resumed !== this.#standing) {
      this.#resume(resumed, response, at?.number);
      return;
    }
    const stream = resumed ?? this.#makeStream();
    // A new GET replaces the previous one, whose connection is often broken without notice.
    if (this.#standing !== stream) this.#replaceStanding();
    this.#standing = stream;
    stream.attach(response, resumed === undefined ? undefined : at?.number, () => this.#forgetLater(stream));
    this.#flush((text, mayDrop) => stream.send(text, mayDrop));
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#forgetting.values()) clearTimeout(timer);
    for (const stream of this.#streams.values()) {
      stream.finish();
      stream.forget();
    }
    this.#streams.clear();
    this.#queue.clear();
  }

  #replaceStanding(): void {
    this.#standing?.finish();
    this.#forget(this.#standing?.name);
  }

  #makeStream(): EventStream {
    const { isResumable = true, limits, budget, unread, counts } = this.#options;
    this.#last += 1;
    const name = isResumable ? `s${this.#last}` : undefined;
    const beginsEmpty = hasEmptyEvents(this.#revision);
    const stream = new EventStream({ name, beginsEmpty, limits, budget: budget, unread, counts });
    if (name !== undefined) this.#streams.set(name, stream);
    return stream;
  }

  #resume(stream: EventStream, response: ServerResponse, after: number | undefined): void {
    stream.attach(response, after, () => this.#forgetLater(stream));
    // A finished stream keeps its expiry, because this connection may break as well.
    if (stream.isFinished) return;
    clearTimeout(this.#forgetting.get(stream.name ?? ''));
    this.#flush((text, mayDrop) => stream.send(text, mayDrop));
  }

  #forgetLater(stream: EventStream): void {
    this.#options.streamClosed();
    if (stream.name !== undefined && !this.#isClosed) this.#armForgetting(stream, stream.name);
  }

  #armForgetting(stream: EventStream, name: string): void {
    clearTimeout(this.#forgetting.get(name));
    const forget = (): void => {
      if (stream.isOpen) return;
      const isAwaited = !stream.isFinished && stream !== this.#standing;
      // The client may resume the stream for the response.
      if (isAwaited) this.#armForgetting(stream, name);
      else this.#forget(name);
    };
    this.#forgetting.set(name, setTimeout(forget, this.#options.limits.resumableMs));
  }

  #forget(name: string | undefined): void {
    if (name === undefined) return;
    clearTimeout(this.#forgetting.get(name));
    this.#forgetting.delete(name);
    this.#streams.get(name)?.forget();
    this.#streams.delete(name);
  }

  #trySend(message: SessionMessage, replies: readonly Reply[]): boolean {
    const { text, mayDrop } = message;
    const newestFirst = replies.toReversed();
    const isSent =
      // Use the request's own stream only while its client is connected: another stream may be open, or the
      // client may resume.
      (message.reply !== undefined && canReach(message.reply) && message.reply.carry(text, mayDrop)) ||
      (this.#standing?.isOpen === true && this.#standing.send(text, mayDrop)) ||
      newestFirst.some((reply) => reply.isStreaming && reply.carry(text, mayDrop)) ||
      newestFirst.some((reply) => reply.canStream && reply.carry(text, mayDrop));
    if (isSent) message.sent?.();
    return isSent;
  }

  /**
   * Returns whether to drop the message because the client reads too slowly. Queued messages would be
   * outdated on delivery, except those about changed lists.
   */
  #comesTooFast({ mayDrop, sameAs }: SessionMessage): boolean {
    return mayDrop && sameAs === undefined && this.isOpen;
  }

  #flush(send: (text: string, mayDrop: boolean) => boolean): void {
    for (const message of this.#queue.take()) {
      if (send(message.text, message.mayDrop)) message.sent?.();
      else message.dropped?.();
    }
  }
}

function canReach({ isStreaming, canStream }: Reply): boolean {
  return isStreaming || canStream;
}
