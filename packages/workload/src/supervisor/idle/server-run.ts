import {
  type HttpBackend,
  isPortolanError,
  type MessageBackend,
  type ServerConnection,
} from '@portolan/plugin-api';
import { MemberHealth } from '../members/member-health.ts';
import { askBackend } from '../server/ask-backend.ts';
import type { ServerSide } from '../server/server-side.ts';
import { startFailed } from '../supervise-errors.ts';
import type { Supervision } from '../supervision.ts';
import { waitForListen } from '../wait-for-listen.ts';

export interface OpenedMessages {
  readonly backend: MessageBackend;
  close(): Promise<void>;
}

/** Opens the backend of messages for a server that speaks HTTP. Calls `suspect` when a request fails. */
export type OpenMessages = (
  backend: HttpBackend,
  work: Supervision,
  suspect: () => void,
) => Promise<OpenedMessages>;

export interface RunParts {
  readonly open: (work: Supervision) => Promise<ServerSide>;
  readonly openMessages: OpenMessages;
}

/** One run of a server: from the start of its containers and its network until all of them are gone. */
export class ServerRun {
  readonly work: Supervision;
  readonly #parts: RunParts;
  readonly #parent: Supervision;
  readonly #launched = Promise.withResolvers<void>();
  readonly #ready: Promise<ServerSide>;
  readonly #stop = (): void => this.work.lifecycle.finish({ how: 'stopped' });
  #server: ServerSide | undefined;
  #messages: Promise<OpenedMessages> | undefined;
  #health: MemberHealth | undefined;
  #closing: Promise<void> | undefined;

  constructor(parent: Supervision, work: Supervision, parts: RunParts) {
    this.work = work;
    this.#parent = parent;
    this.#parts = parts;
    parent.lifecycle.signal.addEventListener('abort', this.#stop, { once: true });
    if (parent.lifecycle.isOver) this.#stop();
    this.#ready = this.#start();
    this.#ready.catch(() => undefined); // `ready` and each connection report the error
  }

  /** Resolves when the start only waits for the container engine, or has failed. */
  get launched(): Promise<void> {
    return this.#launched.promise;
  }

  /** Resolves when connections can be opened. Rejects with the reason why the server does not start. */
  get ready(): Promise<unknown> {
    return this.#ready;
  }

  async openConnection(signal: AbortSignal): Promise<ServerConnection> {
    const { backend } = await this.#ready;
    const combined = AbortSignal.any([signal, this.work.lifecycle.signal]);
    if (backend.carries === 'messages') return await backend.openConnection(combined);
    this.#messages ??= this.#openMessages(backend);
    return await (await this.#messages).backend.openConnection(combined);
  }

  notAnswering(reason: string): void {
    this.#server?.notAnswering(reason);
  }

  suspect(): void {
    this.#health?.suspect();
  }

  /** Ends the server and removes its containers and network. Idempotent. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop();
    this.#parent.lifecycle.signal.removeEventListener('abort', this.#stop);
    await Promise.allSettled([this.#ready, this.#messages]);
    await this.work.opened.run();
  }

  async #start(): Promise<ServerSide> {
    const { work } = this;
    try {
      const server = await this.#parts.open(work);
      work.opened.push('server', () => server.close());
      this.#server = server;
      work.lifecycle.signal.throwIfAborted();
      const { backend } = server;
      if (backend.carries === 'messages') this.#followMessages();
      else this.#checkHealth(backend, server);
      await server.begin?.();
      this.#launched.resolve();
      await server.start();
      if (backend.carries === 'http') {
        await waitForListen(work);
        work.lifecycle.ready();
        work.heard?.();
      }
      work.lifecycle.signal.throwIfAborted();
      return server;
    } catch (error) {
      const { config, lifecycle } = work;
      const reason = isPortolanError(error) ? error : startFailed(config.name, error);
      lifecycle.finish({ how: 'failed', error: reason });
      throw lifecycle.end?.how === 'failed' ? lifecycle.end.error : error;
    } finally {
      this.#launched.resolve();
    }
  }

  /** Counts the server as started once it sends its first message. */
  #followMessages(): void {
    const { work } = this;
    const { heard } = work;
    work.heard = () => {
      work.lifecycle.ready();
      heard?.();
    };
  }

  /** Checks the health of a server that speaks HTTP after a failed request. A server that hangs is restarted. */
  #checkHealth(backend: HttpBackend, server: ServerSide): void {
    const { work } = this;
    work.ask = (signal) => askBackend(backend, work, signal);
    const health = new MemberHealth({
      ask: work.ask,
      failed: (why) => server.notAnswering(why),
      recovered: () => work.record.note((state) => ({ ...state, status: 'running', statusContext: '' })),
    });
    this.#health = health;
    work.opened.push('health checks', () => health.close());
  }

  async #openMessages(backend: HttpBackend): Promise<OpenedMessages> {
    const opened = await this.#parts.openMessages(backend, this.#parent, () => this.suspect());
    this.work.opened.push('connections', () => opened.close());
    return opened;
  }
}
