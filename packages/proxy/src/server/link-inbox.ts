import type { Counts } from '../request/counts.ts';
import type { NotificationMessage, RequestMessage } from '@portolan/mcp-protocol';

/** Who is told what a server says of its own accord. */
export interface LinkListener {
  requested(request: RequestMessage): void;
  notified(notification: NotificationMessage): void;
  /** The process has ended, or cannot be spoken to any more. Everybody who waited has been told. */
  ended(): void;
  /** Whether the server may write batches, as 2025-03-26 allows. */
  readonly takesBatches: boolean;
}

/** Maximum number of messages that wait for a listener. */
const MAX_KEPT = 256;

/** Passes what a server sends of its own accord to the listener, and keeps the first messages until there is one. */
export class LinkInbox {
  readonly #counts: Counts;
  readonly #kept: (RequestMessage | NotificationMessage)[] = [];
  #listener: LinkListener | undefined;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  /** Returns whether the server may write batches. */
  get takesBatches(): boolean {
    return this.#listener?.takesBatches === true;
  }

  /** Sets the listener, which gets the messages that came before. */
  listen(listener: LinkListener): void {
    this.#listener = listener;
    for (const message of this.#kept.splice(0)) tell(listener, message);
  }

  /** Keeps messages from now on, for the next listener. */
  leave(): void {
    this.#listener = undefined;
  }

  take(message: RequestMessage | NotificationMessage): void {
    if (this.#listener !== undefined) tell(this.#listener, message);
    else if (this.#kept.length < MAX_KEPT) this.#kept.push(message);
    else this.#counts.droppedNotifications += 1;
  }

  /** Passes a notification to the listener; without one it is lost. */
  notify(notification: NotificationMessage): void {
    this.#listener?.notified(notification);
  }

  /** Tells the listener that the process has ended. */
  end(): void {
    this.#listener?.ended();
  }
}

function tell(listener: LinkListener, message: RequestMessage | NotificationMessage): void {
  if (message.kind === 'request') listener.requested(message);
  else listener.notified(message);
}
