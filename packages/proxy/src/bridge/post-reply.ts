import {
  responseDetailsOf,
  type MessageId,
  type ResponseMessage,
  writeError,
  STREAM_HEADERS,
} from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import type { ServerResponse } from 'node:http';
import { responseStatusOf, toErrorMessage, toHttpProblem } from '../request/http-errors.ts';
import type { AcceptedForms } from '../streams/accepted-forms.ts';
import type { EventStream } from '../streams/event-stream.ts';
import type { Reply } from './reply.ts';
import type { StreamableOutlet } from './streamable-outlet.ts';
import type { UnreadResponses } from '../streams/unread-responses.ts';

export interface PostReplyOptions {
  readonly response: ServerResponse;
  readonly accepted: AcceptedForms;
  readonly outlet: StreamableOutlet;
  /** Number of responses that the client expects. A batch with one request is still a batch. */
  readonly answers: number;
  readonly isBatch: boolean;
  /** Whether the response must be the first message, because the session id is in its HTTP headers. */
  readonly holdsBack: boolean;
  /** Silence in milliseconds after which the client gets a stream with comments. */
  readonly silenceMs: number;
  readonly unread: UnreadResponses;
  readonly closed: () => void;
}

/**
 * JSON-RPC error code of a server without a handshake in response to `initialize`. The proxy sends the status
 * 400 with it, which older clients understand.
 */
const UNSUPPORTED_VERSION = -32022;

/** Reply to a POST: JSON when the response is the first message, otherwise an event stream. */
export class PostReply implements Reply {
  readonly #options: PostReplyOptions;
  readonly #answers: string[] = [];
  #awaited: number;
  #stream: EventStream | undefined;
  #silence: NodeJS.Timeout | undefined;
  #hasAnswered = false;
  #isGone = false;

  constructor(options: PostReplyOptions) {
    this.#options = options;
    this.#awaited = options.answers;
    const { response, silenceMs } = options;
    // Listens on the response, because the request emits `close` as soon as its body is read.
    response.once('close', () => this.#close());
    if (this.canStream) this.#silence = setTimeout(() => this.#openStream(), silenceMs);
  }

  get isStreaming(): boolean {
    return this.#stream?.isOpen === true && this.#awaited > 0;
  }

  get canStream(): boolean {
    const { accepted, holdsBack, response } = this.#options;
    return accepted.stream && !holdsBack && this.#awaited > 0 && !response.headersSent && !this.#isGone;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  carry(text: string, mayDrop: boolean): boolean {
    if (this.canStream) this.#openStream();
    return this.#awaited > 0 && this.#stream?.send(text, mayDrop) === true;
  }

  progressed(text: string): void {
    this.carry(text, true);
  }

  beginSession(id: string): void {
    if (!this.#options.response.headersSent) this.#options.response.setHeader('Mcp-Session-Id', id);
  }

  respond({ text, errorCode }: ResponseMessage): void {
    const { holdsBack } = this.#options;
    this.#take(text, holdsBack && errorCode === UNSUPPORTED_VERSION ? 400 : 200);
  }

  settle(text: string): void {
    this.#take(text, 200);
  }

  fail(error: PortolanError, id: MessageId): void {
    if (responseDetailsOf(error).endsStream === true && this.#options.accepted.stream) {
      this.#skip();
      return;
    }
    const problem = toHttpProblem(error);
    const { headers, rpc } = problem;
    const { response, isBatch } = this.#options;
    if (isBatch || response.headersSent || this.#isGone) {
      this.#take(toErrorMessage(error, id), 200);
      return;
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    this.#take(writeError(id, rpc), responseStatusOf(error, problem, false), true);
  }

  /**
   * Sends one JSON-RPC response to the client. An error of the proxy is sent as JSON, even if the client
   * accepts only event streams.
   */
  #take(text: string, status: number, isError = false): void {
    if (this.#awaited === 0) return;
    this.#awaited -= 1;
    this.#hasAnswered = true;
    const { accepted } = this.#options;
    const asStream = !accepted.json && status === 200 && !isError;
    if (this.#stream === undefined && asStream) this.#openStream();
    if (this.#stream !== undefined) this.#stream.send(text, false);
    else this.#answers.push(text);
    if (this.#awaited === 0) this.#finish(status);
  }

  #skip(): void {
    if (this.#awaited === 0) return;
    this.#awaited -= 1;
    if (this.#awaited === 0) this.#finish(200);
  }

  #finish(status: number): void {
    clearTimeout(this.#silence);
    const { response, outlet, isBatch } = this.#options;
    if (this.#stream !== undefined) {
      if (this.#hasAnswered) outlet.closeStream(this.#stream);
      else outlet.endStream(this.#stream);
      return;
    }
    if (this.#isGone || response.headersSent) return;
    if (this.#answers.length === 0) {
      response.writeHead(200, STREAM_HEADERS).end();
      return;
    }
    const body = isBatch ? `[${this.#answers.join(',')}]` : this.#answers.join('');
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    this.#options.unread.respond(response, body);
  }

  #openStream(): void {
    clearTimeout(this.#silence);
    const { response, outlet } = this.#options;
    if (response.headersSent || response.destroyed) return;
    const stream = outlet.openStream(response);
    this.#stream = stream;
    // Responses of a batch may come before the stream opens.
    for (const text of this.#answers.splice(0)) stream.send(text, false);
  }

  #close(): void {
    clearTimeout(this.#silence);
    this.#isGone = true;
    this.#options.closed();
  }
}
