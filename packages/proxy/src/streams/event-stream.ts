import { COMMENT, STREAM_HEADERS, writeEmptyEvent, writeEvent } from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';
import type { Counts } from '../request/counts.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { UnreadResponses } from './unread-responses.ts';

export interface StreamLimits {
  readonly commentMs: number;
  /** Maximum unread bytes of a client before notifications are dropped. */
  readonly unreadBytes: number;
  /** Maximum number of events buffered for a client that reconnects. */
  readonly keptEvents: number;
  readonly keptBytes: number;
}

export interface StreamOptions {
  /**
   * Name of the stream, unique in its session; event ids start with it. Undefined: events have no ids, and
   * none are buffered.
   */
  readonly name: string | undefined;
  /** Whether the stream starts with an empty event, from which newer clients can resume. */
  readonly beginsEmpty: boolean;
  readonly limits: StreamLimits;
  readonly budget: ByteBudget;
  readonly unread: UnreadResponses;
  readonly counts: Counts;
}

interface BufferedEvent {
  readonly number: number;
  readonly text: string;
}

/** Event stream to one client, which may continue over another connection. */
export class EventStream {
  readonly name: string | undefined;
  readonly #options: StreamOptions;
  readonly #buffer: BufferedEvent[] = [];
  #keptBytes = 0;
  /** Size of the newest event when it alone exceeds the limit for buffered events; otherwise 0. */
  #heldBytes = 0;
  #last = 0;
  #flow: ResponseWriter | undefined;
  #comments: NodeJS.Timeout | undefined;
  #isFinished = false;

  constructor(options: StreamOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#flow !== undefined;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Continues with the events after `after`. `detached` is called on a disconnect before the end. */
  attach(response: ServerResponse, after: number | undefined, detached: () => void): void {
    this.#detach()?.end();
    const flow = this.#options.unread.open(response);
    this.#flow = flow;
    response.writeHead(200, STREAM_HEADERS);
    response.flushHeaders();
    response.once('close', () => {
      if (this.#flow !== flow) return;
      this.#detach();
      if (!this.#isFinished) detached();
    });
    this.#comments = setInterval(() => this.#write(COMMENT, true), this.#options.limits.commentMs);
    if (after === undefined) this.#begin();
    else for (const { number, text } of this.#buffer) if (number > after) this.#write(text, false);
    if (this.#isFinished) this.#detach()?.end();
  }

  /**
   * Sends or buffers a message; returns whether it did either. `mayDrop`: drops it when the client reads too
   * slowly.
   */
  send(message: string, mayDrop: boolean): boolean {
    if (this.#isFinished || (this.#flow === undefined && this.name === undefined)) return false;
    if (mayDrop && this.#isBehind()) {
      this.#options.counts.droppedNotifications += 1;
      return false;
    }
    this.#last += 1;
    const text = writeEvent({ data: message, ...(this.name === undefined ? {} : { id: this.#eventId() }) });
    this.#keep(text);
    this.#write(text, false);
    return true;
  }

  /** Sends an event that is no message, such as `endpoint`. It is never buffered. */
  sendOther(event: string, data: string): void {
    this.#write(writeEvent({ event, data }), false);
  }

  finish(): void {
    this.#isFinished = true;
    this.#detach()?.end();
  }

  forget(): void {
    this.#buffer.length = 0;
    this.#keptBytes = 0;
    this.#letGo();
  }

  #begin(): void {
    if (this.name === undefined || !this.#options.beginsEmpty) return;
    this.#write(writeEmptyEvent(this.#eventId()), false);
  }

  #eventId(): string {
    return `${this.name}-${this.#last}`;
  }

  #keep(text: string): void {
    if (this.name === undefined) return;
    const { keptEvents, keptBytes } = this.#options.limits;
    const bytes = Buffer.byteLength(text);
    this.#buffer.push({ number: this.#last, text });
    this.#keptBytes += bytes;
    // Keep this unread event, and rather drop earlier events that the client has read.
    const isHeld = bytes > keptBytes && this.#flow === undefined && this.#hold(bytes);
    while (this.#buffer.length > keptEvents || this.#keptBytes > keptBytes) {
      if (isHeld && this.#buffer.length === 1) return;
      const oldest = this.#buffer.shift();
      if (oldest === undefined) return;
      this.#keptBytes -= Buffer.byteLength(oldest.text);
    }
  }

  #hold(bytes: number): boolean {
    this.#letGo();
    const isHeld = this.#options.budget.tryTake(bytes);
    if (isHeld) this.#heldBytes = bytes;
    return isHeld;
  }

  #letGo(): void {
    this.#options.budget.giveBack(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #isBehind(): boolean {
    return (this.#flow?.waitingBytes ?? 0) > this.#options.limits.unreadBytes;
  }

  #write(text: string, isComment: boolean): void {
    if (!isComment || !this.#isBehind()) this.#flow?.write(text);
  }

  /** Separates the stream from its connection, and returns the connection for the caller to end. */
  #detach(): ResponseWriter | undefined {
    const flow = this.#flow;
    this.#flow = undefined;
    clearInterval(this.#comments);
    return flow;
  }
}

/** Parses an event id of Portolan. Returns undefined for any other id. */
export function parseEventId(id: string): { readonly name: string; readonly number: number } | undefined {
  const [, name, digits] = /^([a-z]+[0-9]+)-([0-9]{1,15})$/.exec(id) ?? [];
  return name === undefined ? undefined : { name, number: Number(digits) };
}
