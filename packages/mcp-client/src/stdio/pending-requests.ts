import type { RequestMessage } from '@portolan/mcp-protocol';

/** A request of the client that waits for its answer. */
export interface PendingRequest {
  readonly message: RequestMessage;
  /** Ends what is asked for it. */
  readonly controller: AbortController;
  isAnswered: boolean;
  /** The client does not want it any more: nobody waits for an answer, though one may come. */
  isCancelled: boolean;
  /** Monotonic time at which the client sent it, in milliseconds. */
  readonly begunMs: number;
  /** Whether the server asked for a retry, and the request is sent again later. */
  isDeferred: boolean;
}

/** Requests of the client by their ids. */
export class PendingRequests {
  readonly #byId = new Map<string, PendingRequest>();
  #whenNone: (() => void) | undefined;

  /** Undefined when the id is in use. */
  begin(message: RequestMessage): PendingRequest | undefined {
    if (this.#byId.has(message.id.key)) return undefined;
    const pending = {
      message,
      controller: new AbortController(),
      isAnswered: false,
      isCancelled: false,
      begunMs: performance.now(),
      isDeferred: false,
    };
    this.#byId.set(message.id.key, pending);
    return pending;
  }

  find(key: string): PendingRequest | undefined {
    return this.#byId.get(key);
  }

  end(pending: PendingRequest): void {
    pending.isAnswered = true;
    this.#byId.delete(pending.message.id.key);
    if (this.#byId.size === 0) this.#whenNone?.();
  }

  /** Settles when nothing waits for an answer. */
  async answered(): Promise<void> {
    if (this.#byId.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenNone = resolve;
    await promise;
  }

  /** Ends everything. */
  abort(): void {
    for (const { controller } of this.#byId.values()) controller.abort();
    this.#byId.clear();
  }
}
