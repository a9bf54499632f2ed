import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

type Message = Parameters<EventStore['storeEvent']>[1];

/** Events of one session, kept so that a client can resume a lost stream. */
export class EventsInMemory implements EventStore {
  readonly #events: { readonly stream: string; readonly message: Message }[] = [];

  async storeEvent(stream: string, message: Message): Promise<string> {
    this.#events.push({ stream, message });
    return String(this.#events.length - 1);
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events[Number(id)]?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (eventId: string, message: Message) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events[Number(id)]?.stream ?? '';
    for (const [at, event] of this.#events.entries()) {
      const isMissed = at > Number(id) && event.stream === stream && Object.keys(event.message).length > 0;
      if (isMissed) await send(String(at), event.message);
    }
    return stream;
  }
}
