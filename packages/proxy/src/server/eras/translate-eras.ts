import type { MessageSender, OpenConnection } from '@portolan/plugin-api';
import { proxyClosing } from '../../errors/server-errors.ts';
import { fillOptions, type EraContext, type EraOptions } from './era-options.ts';
import { LegacyConnection } from './legacy-clients/legacy-connection.ts';
import { ModernConnection } from './modern-clients/modern-connection.ts';
import { ModernPeer } from './legacy-clients/modern-peer.ts';
import { ServerEras } from './server-eras.ts';
import { SharedConnection } from './shared-process/shared-connection.ts';
import { SharedServer } from './shared-process/shared-server.ts';

/** Server that clients of all protocol revisions can use. */
export interface TranslatedServer {
  /** Opens the connection of one Legacy session. The first request on it is `initialize`. */
  readonly openLegacy: OpenConnection;
  /**
   * Opens the connection of all Modern clients. The caller of `send` passes the sender of each message, limits the
   * time of requests, and cancels those that have no waiting client.
   */
  readonly openModern: OpenConnection;
  /** Newest revision of the server that is known. Undefined before the first contact. */
  readonly revision: string | undefined;
  /** Closes all connections and processes. Idempotent. Never rejects. */
  close(): Promise<void>;
}

/**
 * Serves clients of both eras from one server of any era. Messages pass unchanged where the server speaks the era of
 * the client. Otherwise they are translated.
 */
export function translateEras(open: OpenConnection, options: EraOptions): TranslatedServer {
  const context = fillOptions(options);
  const server = context.isShared ? new OneProcess(open, context) : new ManyProcesses(open, context);
  return {
    openLegacy: (signal) => server.openLegacy(signal),
    openModern: (signal) => server.openModern(signal),
    get revision() {
      return server.revision;
    },
    close: () => server.close(),
  };
}

/** Server with processes for each Legacy session. */
class ManyProcesses implements TranslatedServer {
  readonly #context: EraContext;
  readonly #eras: ServerEras;
  readonly #legacy = new Set<LegacyConnection>();
  readonly #modern = new Set<ModernConnection>();
  #peer: Promise<ModernPeer | undefined> | undefined;
  #closing: Promise<void> | undefined;

  constructor(open: OpenConnection, context: EraContext) {
    this.#context = context;
    this.#eras = new ServerEras(open, context);
  }

  get revision(): string | undefined {
    return this.#eras.modernRevisions?.at(-1) ?? this.#eras.legacyRevision;
  }

  async openLegacy(signal: AbortSignal): Promise<LegacyConnection> {
    if (this.#closing !== undefined) throw proxyClosing();
    const raw = this.#eras.isModernOnly ? undefined : await this.#eras.openRaw(signal);
    const connection: LegacyConnection = new LegacyConnection({
      raw,
      eras: this.#eras,
      context: this.#context,
      peer: (sender) => this.#openPeer(sender),
      closed: () => this.#legacy.delete(connection),
    });
    this.#legacy.add(connection);
    if (this.#closing !== undefined) await connection.close();
    return connection;
  }

  async openModern(_signal: AbortSignal): Promise<ModernConnection> {
    if (this.#closing !== undefined) throw proxyClosing();
    const connection: ModernConnection = new ModernConnection({
      eras: this.#eras,
      context: this.#context,
      closed: () => this.#modern.delete(connection),
    });
    this.#modern.add(connection);
    return connection;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const peer = this.#peer;
    const connections = [...this.#legacy, ...this.#modern];
    await Promise.allSettled([
      ...connections.map((connection) => connection.close()),
      this.#eras.close(),
      peer?.then((opened) => opened?.close(proxyClosing())),
    ]);
  }

  /** Returns the process that serves all translated Legacy sessions. Undefined for a Legacy server. */
  #openPeer(sender: MessageSender | undefined): Promise<ModernPeer | undefined> {
    if (this.#peer !== undefined) return this.#peer;
    const opening = this.#startPeer(sender);
    this.#peer = opening;
    const forget = (): void => {
      if (this.#peer === opening) this.#peer = undefined;
    };
    void opening.then((peer) => (peer === undefined || peer.hasEnded ? forget() : undefined), forget);
    return opening;
  }

  async #startPeer(sender: MessageSender | undefined): Promise<ModernPeer | undefined> {
    const modern = await this.#eras.openModern(undefined, sender);
    if (modern === undefined) return undefined;
    const peer = new ModernPeer(modern, this.#context, () => {
      this.#peer = undefined;
      void modern.raw.close();
      for (const connection of this.#legacy) connection.endTranslated();
    });
    if (this.#closing === undefined) return peer;
    await peer.close(proxyClosing());
    throw proxyClosing();
  }
}

/** Server that runs as one process, which clients of both eras share. */
class OneProcess implements TranslatedServer {
  readonly #context: EraContext;
  readonly #eras: ServerEras;
  readonly #server: SharedServer;
  readonly #connections = new Set<SharedConnection>();
  #closing: Promise<void> | undefined;

  constructor(open: OpenConnection, context: EraContext) {
    this.#context = context;
    this.#eras = new ServerEras(open, context);
    this.#server = new SharedServer(this.#eras, context);
  }

  get revision(): string | undefined {
    return this.#eras.modernRevisions?.at(-1) ?? this.#eras.legacyRevision;
  }

  async openLegacy(_signal: AbortSignal): Promise<SharedConnection> {
    const connection = this.#connect('legacy');
    await this.#server.start(connection);
    return connection;
  }

  async openModern(_signal: AbortSignal): Promise<SharedConnection> {
    return this.#connect('modern');
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #connect(era: 'legacy' | 'modern'): SharedConnection {
    if (this.#closing !== undefined) throw proxyClosing();
    const connection: SharedConnection = new SharedConnection({
      era,
      server: this.#server,
      eras: this.#eras,
      context: this.#context,
      closed: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    return connection;
  }

  async #close(): Promise<void> {
    const closing = [...this.#connections].map((connection) => connection.close());
    await Promise.allSettled([...closing, this.#server.close(), this.#eras.close()]);
  }
}
