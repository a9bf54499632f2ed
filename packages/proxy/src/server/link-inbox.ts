import type { Counts } from '../request/counts.ts';
import type { NotificationMessage, RequestMessage } from '@portolan/mcp-protocol';

export interface LinkListener {
  requested(request: RequestMessage): void;
  notified(notification: NotificationMessage): void;
  /** Called when the process has ended and all pending requests have failed. */
  ended(): void;
  /** Whether the server may write batches (2025-03-26). */
  readonly takesBatches: boolean;
}

const MAX_KEPT = 256;

/** Passes unsolicited messages to the listener, and keeps the first ones until there is one. */
export class LinkInbox {
  readonly #counts: Counts;
  readonly #messages: (RequestMessage | NotificationMessage)[] = [];
  #listener: LinkListener | undefined;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  get takesBatches(): boolean {
    return this.#listener?.takesBatches === true;
  }

  listen(listener: LinkListener): void {
    this.#listener = listener;
    for (const message of this.#messages.splice(0)) tell(listener, message);
  }

  leave(): void {
    this.#listener = undefined;
  }

  take(message: RequestMessage | NotificationMessage): void {
    if (this.#listener !== undefined) tell(this.#listener, message);
    else if (this.#messages.length < MAX_KEPT) this.#messages.push(message);
    else this.#counts.droppedNotifications += 1;
  }

  notify(notification: NotificationMessage): void {
    this.#listener?.notified(notification);
  }

  end(): void {
    this.#listener?.ended();
  }
}

function tell(listener: LinkListener, message: RequestMessage | NotificationMessage): void {
  if (message.kind === 'request') listener.requested(message);
  else listener.notified(message);
}
