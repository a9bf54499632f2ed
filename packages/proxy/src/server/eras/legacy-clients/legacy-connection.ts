import {
  isModern,
  parseServerMessage,
  type RequestMessage,
  revisionsOfRefusal,
} from '@portolan/mcp-protocol';
import { isPortolanError, type MessageSender, type ServerConnection } from '@portolan/plugin-api';
import { serverExited } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import type { EraContext } from '../era-options.ts';
import { LegacySession } from './legacy-session.ts';
import { MessagePipe } from '../message-pipe.ts';
import type { ModernPeer } from './modern-peer.ts';
import type { RawServer } from '../raw-server.ts';
import type { ServerEras } from '../server-eras.ts';

export interface LegacyConnectionOptions {
  /** Started process; undefined when the server is known to be Modern only. */
  readonly raw: RawServer | undefined;
  readonly eras: ServerEras;
  readonly context: EraContext;
  /** Returns the process that serves all Legacy sessions. Undefined when the server is Legacy. */
  readonly peer: (sender: MessageSender | undefined) => Promise<ModernPeer | undefined>;
  readonly closed: (connection: LegacyConnection) => void;
}

/**
 * Connection for one Legacy session. The messages pass unchanged when the server accepts `initialize`, and are
 * translated when the server is Modern.
 */
export class LegacyConnection implements ServerConnection {
  readonly received = new MessagePipe();
  readonly #options: LegacyConnectionOptions;
  readonly #openedMs: number;
  #native: ServerConnection | undefined;
  #session: LegacySession | undefined;
  #beginning: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: LegacyConnectionOptions) {
    this.#options = options;
    this.#openedMs = options.context.nowMs();
    void options.raw?.exited.then(() => this.#end());
  }

  send(text: string, sender?: MessageSender): Promise<void> {
    if (this.#native !== undefined) return this.#native.send(text, sender);
    return this.#sendLater(text, sender);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the messages of a translated session, because the process of the server has ended. */
  endTranslated(): void {
    if (this.#session !== undefined) this.#end();
  }

  #end(): void {
    this.#session?.close();
    this.received.end();
  }

  async #close(): Promise<void> {
    this.#options.closed(this);
    this.#end();
    await this.#options.raw?.connection.close();
  }

  async #sendLater(text: string, sender: MessageSender | undefined): Promise<void> {
    if (this.#beginning === undefined) {
      this.#beginning = this.#begin(text, sender);
      return this.#beginning;
    }
    await this.#beginning;
    if (this.#native !== undefined) await this.#native.send(text, sender);
    else this.#take(text, sender);
  }

  async #begin(text: string, sender: MessageSender | undefined): Promise<void> {
    const message = parseServerMessage(text, undefined, true);
    const isHandshake =
      typeof message === 'object' && message.kind === 'request' && message.method === 'initialize';
    const { raw } = this.#options;
    if (!isHandshake) {
      if (raw !== undefined) await this.#passOn(raw, text, sender);
      return;
    }
    try {
      const isNative = raw !== undefined && (await this.#tryNative(raw, message, sender));
      if (isNative) return;
      if (raw === undefined) this.#translate(await this.#options.peer(sender));
      this.#take(text, sender);
    } catch (error) {
      this.received.push(new FailedRequest(isPortolanError(error) ? error : serverExited(error), message.id));
    }
  }

  /** Returns whether messages pass unchanged from now on. Otherwise the session is translated. */
  async #tryNative(
    raw: RawServer,
    message: RequestMessage,
    sender: MessageSender | undefined,
  ): Promise<boolean> {
    const { eras, context, peer } = this.#options;
    const response = await raw.ask(message.text, message.id, sender);
    if (response !== undefined) eras.noteHandshake(response, context.nowMs() - this.#openedMs);
    if (response === undefined || response.isError) {
      const listed = response === undefined ? undefined : revisionsOfRefusal(response);
      const isLegacy = listed !== undefined && listed.length > 0 && !listed.some(isModern);
      const modern = isLegacy ? undefined : await peer(sender);
      if (modern !== undefined) {
        await raw.close();
        this.#translate(modern);
        return false;
      }
    }
    for (const held of raw.takeHeld()) this.received.push(held);
    if (response !== undefined) this.received.push(response.text);
    this.received.follow(raw.rest);
    this.#native = raw.connection;
    return true;
  }

  async #passOn(raw: RawServer, text: string, sender: MessageSender | undefined): Promise<void> {
    this.#native = raw.connection;
    this.received.follow(raw.rest);
    await raw.connection.send(text, sender);
  }

  #translate(peer: ModernPeer | undefined): void {
    if (peer === undefined) throw serverExited();
    if (this.#closing !== undefined) return;
    this.#session = new LegacySession({
      peer,
      context: this.#options.context,
      deliver: (text, mayDrop) => {
        if (!this.received.push(text, mayDrop)) this.#options.context.counts.droppedNotifications += 1;
      },
    });
  }

  #take(text: string, sender: MessageSender | undefined): void {
    const message = parseServerMessage(text, undefined, true);
    if (typeof message === 'object') this.#session?.take(message, sender);
  }
}
