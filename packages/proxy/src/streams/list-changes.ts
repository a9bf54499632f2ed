import { type NotificationMessage, parseServerMessage, writeEvent } from '@portolan/mcp-protocol';

/** Notifications after which clients list again, each with the member of a subscription's filter that requests it. */
const NOTIFICATIONS = [
  { method: 'notifications/tools/list_changed', filter: 'toolsListChanged' },
  { method: 'notifications/prompts/list_changed', filter: 'promptsListChanged' },
  { method: 'notifications/resources/list_changed', filter: 'resourcesListChanged' },
] as const;

export interface ListChange {
  readonly message: NotificationMessage;
  /** Member of the parameters of `subscriptions/listen` by which a client requests the notification. */
  readonly filter: string;
}

/** Returns the notifications by which the proxy itself announces that all lists may have changed. */
export function listChanges(): readonly ListChange[] {
  return NOTIFICATIONS.map(({ method, filter }) => {
    const message = parseServerMessage(JSON.stringify({ jsonrpc: '2.0', method }));
    if (typeof message === 'string' || message.kind !== 'notification')
      throw new TypeError(`${method} is no notification`);
    return { message, filter };
  });
}

/** Open event streams of clients into which the proxy inserts notifications of its own. */
export class AnnouncedStreams {
  readonly #streams = new Set<(event: string) => void>();

  /** Adds a stream by the function that inserts an event. Returns the function that removes it. */
  add(insert: (event: string) => void): () => void {
    this.#streams.add(insert);
    return () => void this.#streams.delete(insert);
  }

  announce(): void {
    const events = listChanges().map(({ message }) => writeEvent({ event: 'message', data: message.text }));
    for (const insert of this.#streams) for (const event of events) insert(event);
  }
}
