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

export interface ResponseReceiver {
  /**
   * Called with the response, under the client's own request id. Either this or `failed` is called, once.
   */
  answered(response: ResponseMessage): void;
  progressed(text: string): void;
  /** There will be no response. Either this or `answered` is called, once. */
  failed(error: PortolanError): void;
}

export interface RequestLimits {
  /** Maximum time without progress; may be `Infinity`. */
  readonly requestMs: number;
  readonly longestRequestMs: number;
  readonly cancelledMs: number;
}

export class ServerRequest {
  readonly minted: MessageId;
  readonly method: string;
  readonly id: MessageId;
  readonly receiver: ResponseReceiver;
  /** Progress token as JSON text. Undefined when the client wants no progress. */
  readonly progressToken: string | undefined;
  readonly isTask: boolean;
  /** Deadline for the whole request by `performance.now()`, regardless of progress. */
  readonly lastMs: number;
  readonly #limits: RequestLimits;
  readonly #expired: (request: ServerRequest, error: PortolanError) => void;
  #timer: NodeJS.Timeout | undefined;
  #isCancelled = false;

  constructor(
    message: RequestMessage,
    minted: MessageId,
    receiver: ResponseReceiver,
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

  /** Whether the request has no time limit. The server does not count as busy with such a request. */
  get isEndless(): boolean {
    return this.lastMs === Infinity;
  }

  /** Returns the text for the server. A new id replaces both the request id and the progress token. */
  write(message: RequestMessage): string {
    return rewriteMessage(message.text, [
      { path: ['id'], by: this.minted.text },
      ...(this.progressToken === undefined
        ? []
        : [{ path: ['params', '_meta', 'progressToken'], by: this.minted.text }]),
    ]);
  }

  /** Restarts the limit `requestMs` after progress. The total limit stays. */
  restartClock(): void {
    if (this.#isCancelled) return;
    const { requestMs } = this.#limits;
    const leftMs = Math.max(0, Math.min(requestMs, this.lastMs - performance.now()));
    this.#arm(leftMs, () =>
      this.#expired(this, serverTimedOut(leftMs < requestMs ? this.#limits.longestRequestMs : requestMs)),
    );
  }

  /**
   * Shortens the time limit to that of a cancelled request. Returns the cancellation for the server, with the
   * server's request id.
   */
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
    // `setTimeout` would fire at once for `Infinity`.
    if (ms !== Infinity) this.#timer = setTimeout(then, ms);
  }
}

function readToken({ text, params }: RequestMessage): string | undefined {
  const token = memberOf(metaOf(params), 'progressToken');
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  const span = findValue(text, ['params', '_meta', 'progressToken']);
  return span === undefined ? undefined : text.slice(span.start, span.end);
}

const MAX_TASK_TOKENS = 256;

/** Progress tokens of tasks. A task outlives the response to its request, and so does its token. */
export class TaskTokens {
  readonly #tokens = new Map<string, string>();

  keep({ minted, progressToken }: ServerRequest): void {
    if (progressToken === undefined) return;
    this.#tokens.set(minted.key, progressToken);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TASK_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }

  find(id: MessageId): string | undefined {
    return this.#tokens.get(id.key);
  }
}
