import { type Message, type NotificationMessage, parseServerMessage } from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type MessageSender,
  type ReceivedMessage,
  type ServerConnection,
} from '@portolan/plugin-api';
import { serverExited } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import type { EraContext } from '../era-options.ts';
import { LegacySession } from '../legacy-clients/legacy-session.ts';
import { MessagePipe } from '../message-pipe.ts';
import { ModernTranslation } from '../modern-clients/modern-translation.ts';
import type { ServerEras } from '../server-eras.ts';
import { RelayedLegacyClients, RelayedModernClients } from './relayed-clients.ts';
import type { SharedProcess, SharedServer, SharedUser } from './shared-server.ts';

export interface SharedConnectionOptions {
  /** Era of the clients. */
  readonly era: SharedProcess['era'];
  readonly server: SharedServer;
  readonly eras: ServerEras;
  readonly context: EraContext;
  readonly closed: (connection: SharedConnection) => void;
}

/** Serves the clients of a connection from the process. */
interface Clients {
  take(message: Message, sender: MessageSender | undefined): void;
  close(): void | Promise<void>;
}

/** Connection of the clients of one era to the only process of a server. */
export class SharedConnection implements ServerConnection, SharedUser {
  readonly received = new MessagePipe();
  readonly #options: SharedConnectionOptions;
  #clients: Clients | undefined;
  #opening: Promise<Clients> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SharedConnectionOptions) {
    this.#options = options;
  }

  async send(text: string, sender?: MessageSender): Promise<void> {
    const message = parseServerMessage(text, undefined, true);
    if (typeof message === 'string') return;
    try {
      const clients = this.#clients ?? (await this.#open());
      clients.take(message, sender);
    } catch (error) {
      if (message.kind !== 'request') return;
      const failure = isPortolanError(error) ? error : serverExited(error);
      this.received.push(new FailedRequest(failure, message.id));
    }
  }

  notified(notification: NotificationMessage): void {
    if (this.#clients instanceof ModernTranslation) this.#clients.publish(notification);
    else if (this.#clients instanceof RelayedLegacyClients) this.#deliver(notification.text, true);
  }

  ended(): void {
    void this.#clients?.close();
    this.received.end();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { server, closed } = this.#options;
    closed(this);
    this.received.end();
    await this.#clients?.close();
    await server.leave(this);
  }

  #open(): Promise<Clients> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#serve();
    this.#opening = opening;
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }

  async #serve(): Promise<Clients> {
    const { era, server, eras, context } = this.#options;
    const process = await server.use(this, era);
    const deliver = (message: ReceivedMessage, mayDrop: boolean): void => this.#deliver(message, mayDrop);
    const clients =
      process.era === 'modern'
        ? era === 'modern'
          ? new RelayedModernClients(process.peer, deliver)
          : new LegacySession({ peer: process.peer, context, deliver })
        : era === 'legacy'
          ? new RelayedLegacyClients(process.session, deliver)
          : new ModernTranslation({ eras, context, deliver, shared: process.session });
    this.#clients = clients;
    return clients;
  }

  #deliver(message: ReceivedMessage, mayDrop: boolean): void {
    if (!this.received.push(message, mayDrop)) this.#options.context.counts.droppedNotifications += 1;
  }
}
