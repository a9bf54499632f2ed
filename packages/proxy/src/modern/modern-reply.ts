import { type Message, type MessageId, type ResponseMessage, writeError } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import type { ServerResponse } from 'node:http';
import { ByteBudget } from '../streams/byte-budget.ts';
import type { AcceptedForms } from '../streams/accepted-forms.ts';
import { EventStream, type StreamLimits } from '../streams/event-stream.ts';
import type { UnreadResponses } from '../streams/unread-responses.ts';
import type { Counts } from '../request/counts.ts';
import { modernStatusOf, responseStatusOf, toErrorMessage, toHttpProblem } from '../request/http-errors.ts';
import type { JudgedResponse } from '../policy/judge-response.ts';
import type { JudgeModern } from './judge-modern.ts';

export interface ModernReplyOptions {
  readonly response: ServerResponse;
  readonly accepted: AcceptedForms;
  readonly limits: StreamLimits & {
    /** Silence in milliseconds after which the client gets a stream with comments. */
    readonly silenceMs: number;
  };
  readonly unread: UnreadResponses;
  readonly counts: Counts;
  readonly judge: JudgeModern | undefined;
}

/** Buffers nothing, because the stream is not resumable. */
const NOTHING_HELD = new ByteBudget(0);

/**
 * JSON when the response comes first, otherwise an event stream that is not resumable. A disconnect cancels
 * the request.
 */
export class ModernReply {
  readonly #options: ModernReplyOptions;
  #stream: EventStream | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isOver = false;
  #left: (() => void) | undefined;

  constructor(options: ModernReplyOptions) {
    this.#options = options;
    const { response, accepted, limits } = options;
    // Listens on the response, because the request emits `close` as soon as its body is read.
    response.once('close', () => this.#close());
    if (accepted.stream) this.#silence = setTimeout(() => this.#openStream(), limits.silenceMs);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  onLeft(left: () => void): void {
    this.#left = left;
  }

  carry(text: string, mayDrop: boolean): boolean {
    if (this.#isOver) return false;
    const judged = this.#options.judge?.judgeText(text);
    if (judged !== undefined && 'refused' in judged) return false;
    this.#openStream();
    return this.#stream?.send(judged?.message.text ?? text, mayDrop) === true;
  }

  respond(response: ResponseMessage): void {
    const judged = this.#options.judge?.judgeResponse(response) ?? { message: response };
    if (judged instanceof Promise) void judged.then((later) => this.#tellJudged(later, response.id));
    else this.#tellJudged(judged, response.id);
  }

  settle(text: string): void {
    this.#finish(text, 200, {});
  }

  #tellJudged(judged: JudgedResponse, id: MessageId): void {
    if ('refused' in judged) this.fail(judged.refused, id);
    else this.#tell(judged.message);
  }

  #tell(response: Message): void {
    const { text } = response;
    const status = modernStatusOf(response.kind === 'response' ? response.errorCode : undefined);
    if (!this.#options.accepted.json && status === 200) this.#openStream();
    this.#finish(text, status, {});
  }

  fail(error: PortolanError, id: MessageId): void {
    this.#options.judge?.failed(error, id);
    const problem = toHttpProblem(error);
    const text = this.#stream === undefined ? writeError(id, problem.rpc) : toErrorMessage(error, id);
    this.#finish(text, responseStatusOf(error, problem, true), problem.headers);
  }

  end(): boolean {
    if (this.#stream === undefined || this.#isOver) return false;
    this.#settle();
    this.#stream.finish();
    return true;
  }

  #finish(text: string, status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver) return;
    this.#settle();
    const { response, unread } = this.#options;
    if (this.#stream !== undefined) {
      this.#stream.send(text, false);
      this.#stream.finish();
      return;
    }
    response.writeHead(status, {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    });
    unread.respond(response, text);
  }

  #openStream(): void {
    clearTimeout(this.#silence);
    const { response, accepted, limits, unread, counts } = this.#options;
    if (this.#stream !== undefined || this.#isOver || !accepted.stream) return;
    this.#stream = new EventStream({
      name: undefined,
      beginsEmpty: false,
      limits,
      budget: NOTHING_HELD,
      unread,
      counts,
    });
    this.#stream.attach(response, undefined, () => undefined);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#settle();
    this.#left?.();
  }

  #settle(): void {
    clearTimeout(this.#silence);
    this.#isOver = true;
  }
}
