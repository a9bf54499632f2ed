import {
  findValue,
  memberOf,
  type MessageId,
  metaOf,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import { requestCancelled, serverTimedOut } from '../errors/server-errors.ts';

/** Who waits for the answer of a server. */
export interface AnswerReceiver {
  /** The answer, with the id that the request came with. Called once at most, and then nothing else is. */
  answered(answer: ResponseMessage): void;
  /** Progress, with the token that the request came with. */
  progressed(text: string): void;
  /** There will be no answer. Called once at most, and then nothing else is. */
  failed(error: PortolanError): void;
}

/** Times in milliseconds. */
export interface RequestLimits {
  /** How long a request may wait without a sign of life; `Infinity` for one that may wait for ever. */
  readonly requestMs: number;
  /** How long it may wait at all. */
  readonly longestRequestMs: number;
  /** Maximum time for a response after the client cancelled the request. */
  readonly cancelledMs: number;
}

/** A request on its way: what it was called by its client, and what it is called towards the server. */
export class ServerRequest {
  readonly minted: MessageId;
  readonly method: string;
  readonly id: MessageId;
  readonly receiver: AnswerReceiver;
  /** JSON of the token that the client chose; undefined when it asked for no progress. */
  readonly progressToken: string | undefined;
  readonly isTask: boolean;
  /** When it is given up whatever happens, by `performance.now()`. */
  readonly lastMs: number;
  readonly #limits: RequestLimits;
  readonly #expired: (request: ServerRequest, error: PortolanError) => void;
  #timer: NodeJS.Timeout | undefined;
  #isCancelled = false;

  constructor(
    message: RequestMessage,
    minted: MessageId,
    receiver: AnswerReceiver,
    limits: RequestLimits,
    expired: (request: ServerRequest, error: PortolanError) => void,
  ) {
    this.minted = minted;
    this.method = message.method;
    this.id = message.id;
    this.receiver = receiver;
    this.progressToken = readToken(message);
    this.isTask = memberOf(message.params, 'task') !== undefined;
    this.#limits = limits;
    this.#expired = expired;
    this.lastMs = performance.now() + limits.longestRequestMs;
    this.restartClock();
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Whether it may wait for ever: its server does nothing for it. */
  get isEndless(): boolean {
    return this.lastMs === Infinity;
  }

  /** What the server gets: the request under its minted id, which is its progress token as well. */
  write(message: RequestMessage): string {
    return rewriteMessage(message.text, [
      { path: ['id'], by: this.minted.text },
      ...(this.progressToken === undefined
        ? []
        : [{ path: ['params', '_meta', 'progressToken'], by: this.minted.text }]),
    ]);
  }

  /** A sign of life: the time for the answer begins anew, but the longest time does not. */
  restartClock(): void {
    if (this.#isCancelled) return;
    const { requestMs } = this.#limits;
    const leftMs = Math.max(0, Math.min(requestMs, this.lastMs - performance.now()));
    this.#arm(leftMs, () =>
      this.#expired(this, serverTimedOut(leftMs < requestMs ? this.#limits.longestRequestMs : requestMs)),
    );
  }

  /** The client wants no answer: one is waited for only shortly. Gives what the server has to be told. */
  cancel(notice: NotificationMessage): string {
    this.#isCancelled = true;
    this.#arm(this.#limits.cancelledMs, () => this.#expired(this, requestCancelled()));
    return rewriteMessage(notice.text, [{ path: ['params', 'requestId'], by: this.minted.text }]);
  }

  stopClock(): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    // A timer of that length would go off at once.
    if (ms !== Infinity) this.#timer = setTimeout(then, ms);
  }
}

function readToken({ text, params }: RequestMessage): string | undefined {
  const token = memberOf(metaOf(params), 'progressToken');
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  const span = findValue(text, ['params', '_meta', 'progressToken']);
  return span === undefined ? undefined : text.slice(span.start, span.end);
}

/** Maximum number of tokens of tasks. */
const MAX_TASK_TOKENS = 256;

/** Progress tokens of tasks, which live on after the response to the request that began the task. */
export class TaskTokens {
  readonly #tokens = new Map<string, string>();

  /** Keeps the token that the client chose for a task. The oldest one goes when there are too many. */
  keep({ minted, progressToken }: ServerRequest): void {
    if (progressToken === undefined) return;
    this.#tokens.set(minted.key, progressToken);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TASK_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Returns the token of the client for the token that the server uses; undefined for an unknown one. */
  find(id: MessageId): string | undefined {
    return this.#tokens.get(id.key);
  }
}
