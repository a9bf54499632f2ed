import { COMMENT, STREAM_HEADERS, writeEmptyEvent, writeEvent } from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';
import type { Counts } from '../request/counts.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { Outflow } from './outflow.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export interface StreamLimits {
  /** Time between two comments, in milliseconds. */
  readonly commentMs: number;
  /** Bytes that may wait for a client that reads slowly, before notifications are dropped. */
  readonly unreadBytes: number;
  /** Events kept for a client that comes back, and their bytes. */
  readonly keptEvents: number;
  readonly keptBytes: number;
}

export interface StreamOptions {
  /** Unique in its session; the ids of events begin with it. Undefined: events have no ids, and none is kept. */
  readonly name: string | undefined;
  /** Whether an event without data comes first, to resume from; only newer clients cope with it. */
  readonly beginsEmpty: boolean;
  readonly limits: StreamLimits;
  /** For what is held beyond the limits while its client is away. */
  readonly held: ByteBudget;
  readonly unread: UnreadAnswers;
  readonly counts: Counts;
}

interface Kept {
  readonly number: number;
  readonly text: string;
}

/** An event stream to one client. It may outlive its connection, and go on over another. */
export class EventStream {
  readonly name: string | undefined;
  readonly #options: StreamOptions;
  readonly #kept: Kept[] = [];
  #keptBytes = 0;
  /** Of the newest event, when it alone is larger than what is kept. */
  #heldBytes = 0;
  #last = 0;
  /** To the client that is connected. */
  #flow: Outflow | undefined;
  #comments: NodeJS.Timeout | undefined;
  #isFinished = false;

  constructor(options: StreamOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Whether a client is connected. */
  get isOpen(): boolean {
    return this.#flow !== undefined;
  }

  /** Whether everything was written that ever will be. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /**
   * Sends the stream over this connection from now on; events after `after` that
   * the client has missed come first. `detached` is called when the client leaves
   * before the stream is finished.
   */
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
    else for (const { number, text } of this.#kept) if (number > after) this.#write(text, false);
    if (this.#isFinished) this.#detach()?.end();
  }

  /**
   * Sends a message, or keeps it for a client that comes back. Answers whether
   * either was done: what may be dropped is dropped when the client reads too slowly.
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

  /** Sends an event that is no message, such as `endpoint`; it is never kept. */
  sendOther(event: string, data: string): void {
    this.#write(writeEvent({ event, data }), false);
  }

  /** Nothing comes any more: the connection ends once everything was read. */
  finish(): void {
    this.#isFinished = true;
    this.#detach()?.end();
  }

  /** Nobody comes back to it. */
  forget(): void {
    this.#kept.length = 0;
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
    this.#kept.push({ number: this.#last, text });
    this.#keptBytes += bytes;
    // What nobody has read yet is worth more than what was read before.
    const isHeld = bytes > keptBytes && this.#flow === undefined && this.#hold(bytes);
    while (this.#kept.length > keptEvents || this.#keptBytes > keptBytes) {
      if (isHeld && this.#kept.length === 1) return;
      const oldest = this.#kept.shift();
      if (oldest === undefined) return;
      this.#keptBytes -= Buffer.byteLength(oldest.text);
    }
  }

  #hold(bytes: number): boolean {
    this.#letGo();
    const isHeld = this.#options.held.tryTake(bytes);
    if (isHeld) this.#heldBytes = bytes;
    return isHeld;
  }

  #letGo(): void {
    this.#options.held.giveBack(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #isBehind(): boolean {
    return (this.#flow?.waitingBytes ?? 0) > this.#options.limits.unreadBytes;
  }

  #write(text: string, isComment: boolean): void {
    if (!isComment || !this.#isBehind()) this.#flow?.write(text);
  }

  /** Lets go of the connection, which its taker has to end. */
  #detach(): Outflow | undefined {
    const flow = this.#flow;
    this.#flow = undefined;
    clearInterval(this.#comments);
    return flow;
  }
}

/** Stream and number of an event id of ours; undefined for any other text. */
export function parseEventId(id: string): { readonly name: string; readonly number: number } | undefined {
  const [, name, digits] = /^([a-z]+[0-9]+)-([0-9]{1,15})$/.exec(id) ?? [];
  return name === undefined ? undefined : { name, number: Number(digits) };
}
