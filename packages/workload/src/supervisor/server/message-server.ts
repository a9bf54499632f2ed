import { randomBytes } from 'node:crypto';
import {
  type ContainerState,
  type MessageBackend,
  type MessageTransport,
  type ServerConnection,
  isPortolanError,
} from '@portolan/plugin-api';
import { containerNameOf, textOf } from '@portolan/run-spec';
import type { ContainerStarter, StartedContainer } from './container-starter.ts';
import { describeExit, isUnreachable, untilReachable } from './engine-calls.ts';
import { MessageProcess } from './message-process.ts';
import { decideExit, tellExit } from './server-exit.ts';
import { noteRefusedWrite } from './note-refused-write.ts';
import { refusedWriteIn } from './refused-write.ts';
import type { ServerSide } from './server-side.ts';
import type { Supervision } from '../supervision.ts';
import { serverEnded } from '../supervise-errors.ts';

export interface MessageServerOptions {
  readonly transport: MessageTransport;
  readonly mode: 'streamable-http' | 'sse';
  readonly sessions: 'own' | 'shared';
  /** Running container of a dead supervisor, which the first start adopts. */
  readonly adopted: string | undefined;
}

export class MessageServer implements ServerSide {
  readonly backend: MessageBackend;
  readonly #work: Supervision;
  readonly #starter: ContainerStarter;
  readonly #options: MessageServerOptions;
  readonly #live = new Set<MessageProcess>();
  readonly #closing = new Set<Promise<unknown>>();
  #starting = 0;
  #adopted: string | undefined;
  #begun: Promise<ServerConnection> | undefined;

  constructor(work: Supervision, starter: ContainerStarter, options: MessageServerOptions) {
    this.#work = work;
    this.#starter = starter;
    this.#options = options;
    this.#adopted = options.adopted;
    const { mode, sessions } = options;
    const openConnection = (signal: AbortSignal): Promise<ServerConnection> =>
      this.#takeBegun() ?? this.#open(signal);
    const translatesEras = work.config.translate_eras !== false;
    this.backend = { carries: 'messages', mode, sessions, openConnection, translatesEras };
    starter.parts.network?.onLost(() => {
      for (const process of this.#live) process.lose();
    });
  }

  async begin(): Promise<void> {
    const created = Promise.withResolvers<void>();
    this.#begun = this.#open(this.#work.lifecycle.signal, created.resolve);
    await Promise.race([created.promise, Promise.allSettled([this.#begun])]);
  }

  /**
   * Does nothing: the proxy starts the first process when it opens, or uses the process that `begin` started.
   */
  start(): Promise<void> {
    return Promise.resolve();
  }

  notAnswering(reason: string): void {
    const error = serverEnded(this.#work.config.name, reason);
    this.#work.lifecycle.finish({ how: 'failed', error });
  }

  /**
   * Ends all processes. The proxy is already closed, so only the process that `begin` started may be left.
   */
  async close(): Promise<void> {
    await Promise.allSettled([this.#begun]);
    await Promise.all([...this.#live].map((process) => process.close()));
    await Promise.all(this.#closing);
  }

  get #isShared(): boolean {
    return this.#options.sessions === 'shared';
  }

  #takeBegun(): Promise<ServerConnection> | undefined {
    const serverConnection = this.#begun;
    this.#begun = undefined;
    return serverConnection;
  }

  async #open(signal: AbortSignal, created?: () => void): Promise<ServerConnection> {
    const { lifecycle, record } = this.#work;
    const combinedSignal = AbortSignal.any([signal, lifecycle.signal]);
    this.#starting += 1;
    try {
      const container =
        (await this.#adopt(combinedSignal)) ??
        (await untilReachable(() => this.#start(combinedSignal, created), combinedSignal));
      this.#work.startFault = undefined;
      const process = this.#watch(container);
      if (this.#isShared) {
        const containerId = container.id;
        record.note((state) => ({ ...state, containerId, ...this.#wellAgain(state.status) }));
      }
      return process;
    } catch (error) {
      this.#noteFailure(error, combinedSignal);
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  #wellAgain(status: string): { readonly status: 'running'; readonly statusContext: '' } | undefined {
    return status === 'unhealthy' ? { status: 'running', statusContext: '' } : undefined;
  }

  /**
   * Records why a container did not start. During the start of the workload, aborts that start immediately.
   */
  #noteFailure(error: unknown, signal: AbortSignal): void {
    const { lifecycle, config, context } = this.#work;
    if (signal.aborted) return;
    context.logger.warn({ error }, 'server could not be started');
    this.#work.startFault = textOf(error);
    if (!lifecycle.isStarting || isUnreachable(error)) return;
    const how = error instanceof Error ? error.message : String(error);
    lifecycle.finish({
      how: 'failed',
      error: isPortolanError(error) ? error : serverEnded(config.name, how),
    });
  }

  async #start(signal: AbortSignal, created?: () => void): Promise<StartedContainer> {
    const name = containerNameOf(this.#work.config.name);
    return this.#isShared
      ? await this.#starter.start(name, 'server', signal, created)
      : await this.#starter.start(
          `${name}-session-${randomBytes(4).toString('hex')}`,
          'session',
          signal,
          created,
        );
  }

  async #adopt(signal: AbortSignal): Promise<StartedContainer | undefined> {
    const id = this.#adopted;
    this.#adopted = undefined;
    if (id === undefined) return undefined;
    const { runtime } = this.#starter.parts;
    const container = await runtime.inspectContainer(id, signal);
    if (container?.state.running !== true) return undefined;
    const attachment = await runtime.attachContainer(id, signal);
    this.#work.lifecycle.begin();
    return {
      id,
      name: containerNameOf(this.#work.config.name),
      attachment,
      writableRoot: this.#starter.writableRoot,
    };
  }

  #watch(container: StartedContainer): MessageProcess {
    const { context, lifecycle, output } = this.#work;
    const { runtime, engine } = this.#starter.parts;
    const who = this.#isShared ? '' : container.name.slice(-8);
    const process = new MessageProcess({
      container,
      transport: this.#options.transport,
      runtime,
      outlivesConnection: this.#isShared && engine.keepsInputOpen,
      ending: lifecycle.signal,
      logged: (line) => output.line(line, who),
      seen: (message) => {
        this.#work.heard?.();
        const refused = refusedWriteIn(message);
        if (refused !== undefined) noteRefusedWrite(refused, this.#work);
      },
      exited: (state) => this.#track(this.#exited(process, state)),
      closed: async (state) => {
        this.#live.delete(process);
        await container.network?.close();
        if (!this.#exitedByItself.has(process)) await tellExit(this.#work, container.name, state);
      },
      logger: context.logger,
    });
    this.#live.add(process);
    void container.network?.whenLost(() => process.lose());
    return process;
  }

  readonly #exitedByItself = new WeakSet<MessageProcess>();

  async #exited(process: MessageProcess, state: ContainerState | undefined): Promise<void> {
    const { lifecycle, order, record } = this.#work;
    if (lifecycle.isOver) return;
    this.#exitedByItself.add(process);
    this.#live.delete(process);
    // In the foreground the workload ends when its last process exits. A process that is still starting
    // counts as well.
    const isLast = this.#live.size === 0 && this.#starting === 0;
    const isWorkload = this.#isShared || (order.foreground && isLast);
    const exit = { container: process.container, state, isWorkload };
    if ((await decideExit(this.#work, this.#starter, exit)) === 'over') return;
    if (lifecycle.isStarting) return;
    const how = describeExit(state);
    if (this.#isShared) {
      const statusContext = `The server ended: ${how}. It is started again.`;
      record.note((now) => ({ ...now, status: 'unhealthy', statusContext }));
    } else if (state?.outOfMemory === true) {
      record.note((now) => ({ ...now, statusContext: `A process of the server ended: ${how}.` }));
    }
  }

  #track(work: Promise<void>): Promise<void> {
    this.#closing.add(work);
    void work.finally(() => this.#closing.delete(work));
    return work;
  }
}
