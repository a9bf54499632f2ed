import { findValue, type NotificationMessage, readId, type RequestMessage } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';

export interface PendingRequest {
  readonly message: RequestMessage;
  readonly sender: MessageSender | undefined;
  readonly controller: AbortController;
  isAnswered: boolean;
  /** Whether the client cancelled the request. A response may still come. */
  isCancelled: boolean;
  /** Time at which the client sent the request, in monotonic milliseconds. */
  readonly begunMs: number;
  isDeferred: boolean;
}

export class PendingRequests {
  readonly #byId = new Map<string, PendingRequest>();
  #whenNone: (() => void) | undefined;

  get size(): number {
    return this.#byId.size;
  }

  /** Records a request. Returns undefined when its id is already pending. */
  begin(message: RequestMessage, sender?: MessageSender): PendingRequest | undefined {
    if (this.#byId.has(message.id.key)) return undefined;
    const pending = {
      message,
      sender,
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

  /** Returns the request that a message cancels. Undefined for other messages and unknown ids. */
  findCancelled({ method, params, text }: NotificationMessage): PendingRequest | undefined {
    if (method !== 'notifications/cancelled' || params === undefined) return undefined;
    const span = findValue(text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(text.slice(span.start, span.end));
    return id === undefined ? undefined : this.#byId.get(id.key);
  }

  list(): readonly PendingRequest[] {
    return [...this.#byId.values()];
  }

  end(pending: PendingRequest): void {
    pending.isAnswered = true;
    this.#byId.delete(pending.message.id.key);
    if (this.#byId.size === 0) this.#whenNone?.();
  }

  async answered(): Promise<void> {
    if (this.#byId.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenNone = resolve;
    await promise;
  }

  abort(): void {
    for (const { controller } of this.#byId.values()) controller.abort();
    this.#byId.clear();
  }
}
