import { parseServerMessage } from '@portolan/mcp-protocol';
import { isPortolanError, type MessageSender, type ServerConnection } from '@portolan/plugin-api';
import { serverExited } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import type { EraContext } from '../era-options.ts';
import { MessagePipe } from '../message-pipe.ts';
import { ModernTranslation } from './modern-translation.ts';
import type { ServerEras } from '../server-eras.ts';

export interface ModernConnectionOptions {
  readonly eras: ServerEras;
  readonly context: EraContext;
  readonly closed: (connection: ModernConnection) => void;
}

/**
 * Connection for all Modern clients. The first message makes it probe the server. The messages pass unchanged when
 * the server speaks a Modern revision, and are translated when it is Legacy.
 */
export class ModernConnection implements ServerConnection {
  readonly received = new MessagePipe();
  readonly #options: ModernConnectionOptions;
  #native: ServerConnection | undefined;
  #translation: ModernTranslation | undefined;
  #beginning: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ModernConnectionOptions) {
    this.#options = options;
  }

  send(text: string, sender?: MessageSender): Promise<void> {
    if (this.#native !== undefined) return this.#native.send(text, sender);
    if (this.#translation !== undefined) {
      this.#take(text, sender);
      return Promise.resolve();
    }
    return this.#sendLater(text, sender);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#options.closed(this);
    this.received.end();
    await Promise.all([this.#native?.close(), this.#translation?.close()]);
  }

  async #sendLater(text: string, sender: MessageSender | undefined): Promise<void> {
    if (this.#beginning === undefined) {
      const beginning = this.#begin(sender);
      this.#beginning = beginning;
      // A failed start is not kept, so that the next message tries again.
      beginning.catch(() => {
        if (this.#beginning === beginning) this.#beginning = undefined;
      });
    }
    try {
      await this.#beginning;
    } catch (error) {
      this.#fail(text, error);
      return;
    }
    if (this.#native !== undefined) await this.#native.send(text, sender);
    else this.#take(text, sender);
  }

  async #begin(sender: MessageSender | undefined): Promise<void> {
    const { eras, context } = this.#options;
    const modern = await eras.openModern(undefined, sender);
    if (this.#closing !== undefined) {
      await modern?.raw.close();
      return;
    }
    if (modern === undefined) {
      this.#translation = new ModernTranslation({
        eras,
        context,
        deliver: (message, mayDrop) => {
          if (!this.received.push(message, mayDrop)) context.counts.droppedNotifications += 1;
        },
      });
      return;
    }
    for (const held of modern.raw.takeHeld()) this.received.push(held);
    this.received.follow(modern.raw.rest);
    this.#native = modern.raw.connection;
  }

  #take(text: string, sender: MessageSender | undefined): void {
    const message = parseServerMessage(text, undefined, true);
    if (typeof message === 'object') this.#translation?.take(message, sender);
  }

  #fail(text: string, error: unknown): void {
    const message = parseServerMessage(text, undefined, true);
    if (typeof message !== 'object' || message.kind !== 'request') return;
    this.received.push(new FailedRequest(isPortolanError(error) ? error : serverExited(error), message.id));
  }
}
