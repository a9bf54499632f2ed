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

/** Receiver of the response to a request. */
export interface AnswerReceiver {
  /** Called with the response, under the client's own id. Either this or `failed` is called, once. */
  answered(answer: ResponseMessage): void;
  /** Called with progress, under the client's own token. */
  progressed(text: string): void;
  /** Called when there will be no response. Either this or `answered` is called, once. */
  failed(error: PortolanError): void;
}

/** Time limits of a request, in milliseconds. */
export interface RequestLimits {
  /** Maximum time without progress. `Infinity` for a request without a limit. */
  readonly requestMs: number;
  readonly longestRequestMs: number;
  /** Maximum time for a response after the client cancelled the request. */
  readonly cancelledMs: number;
}

/** Pending request to a server, with the client's id and the proxy's id. */
export class ServerRequest {
  readonly minted: MessageId;
  readonly method: string;
  readonly id: MessageId;
  readonly receiver: AnswerReceiver;
  /** Progress token of the client, as JSON. Undefined when the client wants no progress. */
  readonly progressToken: string | undefined;
  readonly isTask: boolean;
  /** Final deadline, by `performance.now()`. */
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

  /** Whether the request has no time limit. Such a request keeps no server busy. */
  get isEndless(): boolean {
    return this.lastMs === Infinity;
  }

  /**
   * Returns the request as the server gets it. The proxy's id replaces both the id and the progress token.
   */
  write(message: RequestMessage): string {
    return rewriteMessage(message.text, [
      { path: ['id'], by: this.minted.text },
      ...(this.progressToken === undefined
        ? []
        : [{ path: ['params', '_meta', 'progressToken'], by: this.minted.text }]),
    ]);
  }

  /** Restarts the limit of `requestMs` after progress. The total limit stays. */
  restartClock(): void {
    if (this.#isCancelled) return;
    const { requestMs } = this.#limits;
    const leftMs = Math.max(0, Math.min(requestMs, this.lastMs - performance.now()));
    this.#arm(leftMs, () =>
      this.#expired(this, serverTimedOut(leftMs < requestMs ? this.#limits.longestRequestMs : requestMs)),
    );
  }

  /**
   * Marks the request as cancelled, with a short time limit for the response. Returns the notification for
   * the server.
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

/** Progress tokens of tasks, which outlive the response to the request that created the task. */
export class TaskTokens {
  readonly #tokens = new Map<string, string>();

  /** Stores the client's token for a task. Evicts the oldest one when there are too many. */
  keep({ minted, progressToken }: ServerRequest): void {
    if (progressToken === undefined) return;
    this.#tokens.set(minted.key, progressToken);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TASK_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Returns the client's token for the server's token. Undefined for an unknown one. */
  find(id: MessageId): string | undefined {
    return this.#tokens.get(id.key);
  }
}
