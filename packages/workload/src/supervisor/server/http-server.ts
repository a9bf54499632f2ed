import { setTimeout as pass } from 'node:timers/promises';
import {
  type Attachment,
  type ContainerState,
  type HttpBackend,
  isPortolanError,
} from '@portolan/plugin-api';
import { containerNameOf } from '@portolan/run-spec';
import type { ContainerStarter } from './container-starter.ts';
import { describeExit, removeForCertain, untilReachable } from './engine-calls.ts';
import { KeepAlive, RESTART_LIMITS } from './keep-alive.ts';
import { readLines } from './read-lines.ts';
import { decideExit, endRemoved, tellExit } from './server-exit.ts';
import type { ServerSide } from './server-side.ts';
import { restartsExhausted } from '../supervise-errors.ts';
import type { Supervision } from '../supervision.ts';

export interface HttpServerOptions {
  readonly backend: HttpBackend;
  /** Running container of a dead supervisor, which the first start adopts. */
  readonly adopted: string | undefined;
  /** Called after each start of a container, since its address may have changed. */
  readonly started: (container: string) => Promise<void>;
  readonly again: () => Promise<boolean>;
}

interface Running {
  readonly id: string;
  readonly name: string;
  readonly writableRoot: boolean;
  readonly startedMs: number;
}

interface ReplacementReason {
  readonly reason: string;
  /** Whether the server failed. If so, the replacement counts towards the limit of restarts. */
  readonly isFailure: boolean;
}

interface Replacement extends ReplacementReason {
  /**
   * Whether the container no longer existed when the supervisor wanted to remove it. If so, another program
   * removed it.
   */
  readonly wasGone: Promise<boolean>;
}

const ATTACH_AGAIN_MS = 200;

/** Container of a server that speaks HTTP. The class restarts the server after each exit. */
export class HttpServer implements ServerSide {
  readonly backend: HttpBackend;
  readonly #work: Supervision;
  readonly #starter: ContainerStarter;
  readonly #options: HttpServerOptions;
  readonly #alive: KeepAlive;
  readonly #stop = new AbortController();
  #adopted: string | undefined;
  #starting: Promise<void> | undefined;
  #running: Running | undefined;
  #keeping: Promise<void> | undefined;
  /** Identifier of a restarted container that has not responded yet. */
  #awaited: string | undefined;
  #replacing: Replacement | undefined;
  /** Whether the container has exited by itself, and plugins were notified of the exit. */
  #hasExited = false;

  constructor(work: Supervision, starter: ContainerStarter, options: HttpServerOptions) {
    this.backend = options.backend;
    this.#work = work;
    this.#starter = starter;
    this.#options = options;
    this.#adopted = options.adopted;
    this.#alive = new KeepAlive(RESTART_LIMITS);
    starter.parts.network?.onLost(() =>
      this.#replace({ reason: 'its network was reopened', isFailure: false }),
    );
  }

  async begin(): Promise<void> {
    const created = Promise.withResolvers<void>();
    this.#starting = this.#startOnce(created.resolve);
    await Promise.race([created.promise, Promise.allSettled([this.#starting])]);
  }

  async start(): Promise<void> {
    await (this.#starting ?? this.#startOnce());
    this.#keeping = this.#keep();
  }

  notAnswering(reason: string): void {
    // A restarted server that has not responded yet has its own timeout, so ignore health checks.
    if (this.#running === undefined || this.#running.id === this.#awaited) return;
    this.#work.record.note((state) => ({ ...state, status: 'unhealthy', statusContext: reason }));
    if (!this.#work.order.foreground) this.#replace({ reason, isFailure: true });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled([this.#starting]);
    await this.#keeping;
    const running = this.#running;
    if (running === undefined) return;
    const { runtime } = this.#starter.parts;
    const { logger } = this.#work.context;
    if (!this.#hasExited) {
      await runtime.stopContainer(running.id).catch((error: unknown) => {
        logger.warn({ error }, 'container could not be stopped and is removed');
      });
      const container = await runtime.inspectContainer(running.id).catch(() => undefined);
      await tellExit(this.#work, running.name, container?.state);
    }
    await removeForCertain(runtime, running.id, logger);
  }

  #replace(replacement: ReplacementReason): void {
    const running = this.#running;
    if (running === undefined || this.#replacing !== undefined || this.#work.lifecycle.isOver) return;
    // After an exit, a new container starts anyway. If this code removed the old container, that would look
    // like a removal by another program.
    if (this.#hasExited) return;
    this.#work.context.logger.warn({ reason: replacement.reason }, 'server is restarted');
    // No need to await the removal here: `#isOver` awaits it, and `close` awaits `#isOver`.
    this.#replacing = { ...replacement, wasGone: this.#removeReplaced(running.id) };
  }

  /** Removes the container; returns whether it no longer existed. */
  async #removeReplaced(id: string): Promise<boolean> {
    const { runtime } = this.#starter.parts;
    const { logger } = this.#work.context;
    const { signal } = this.#stop;
    try {
      const container = await untilReachable(() => runtime.inspectContainer(id, signal), signal);
      if (container === undefined) return true;
    } catch (error) {
      if (!signal.aborted) logger.warn({ error }, 'container cannot be inspected');
    }
    await removeForCertain(runtime, id, logger);
    return false;
  }

  async #startOnce(created?: () => void): Promise<void> {
    const { context, config, lifecycle } = this.#work;
    const name = containerNameOf(config.name);
    const id = await this.#adopt();
    const started =
      id === undefined ? await this.#starter.start(name, 'server', lifecycle.signal, created) : undefined;
    if (started === undefined) lifecycle.begin();
    const { writableRoot } = started ?? this.#starter;
    const running = { id: started?.id ?? id ?? '', name, writableRoot, startedMs: performance.now() };
    this.#running = running;
    void this.#readOutput(running.id, started?.attachment);
    try {
      await this.#options.started(running.id);
    } catch (error) {
      this.#running = undefined;
      await removeForCertain(this.#starter.parts.runtime, running.id, context.logger);
      throw error;
    }
    this.#work.record.note((state) => ({ ...state, containerId: running.id }));
  }

  async #adopt(): Promise<string | undefined> {
    const id = this.#adopted;
    this.#adopted = undefined;
    if (id === undefined) return undefined;
    const container = await this.#starter.parts.runtime.inspectContainer(id);
    return container?.state.running === true ? id : undefined;
  }

  async #keep(): Promise<void> {
    const { lifecycle, order, context } = this.#work;
    while (this.#running !== undefined && !lifecycle.isOver) {
      const running = this.#running;
      const state = await this.#exitOf(running.id);
      if (this.#stop.signal.aborted || lifecycle.isOver) return;
      if (await this.#isOver(running, state)) return;
      this.#running = undefined;
      this.#hasExited = false;
      await removeForCertain(this.#starter.parts.runtime, running.id, context.logger);
      this.#replacing = undefined;
      if (!(await this.#startAgain())) return;
      if (!lifecycle.isStarting && !order.foreground) void this.#waitForListen();
    }
  }

  async #waitForListen(): Promise<void> {
    const id = this.#running?.id;
    this.#awaited = id;
    const answers = await this.#options.again();
    if (this.#awaited !== id) return;
    this.#awaited = undefined;
    if (!answers) this.#replace({ reason: 'it did not respond after its restart', isFailure: true });
  }

  async #isOver(running: Running, state: ContainerState | undefined): Promise<boolean> {
    const { lifecycle, record } = this.#work;
    const replaced = this.#replacing;
    if (replaced !== undefined) {
      if (!(await replaced.wasGone)) return replaced.isFailure && this.#isGivenUp(running, replaced.reason);
      endRemoved(this.#work, running.name);
      return true;
    }
    const wasStarting = lifecycle.isStarting;
    this.#hasExited = true;
    const exit = { container: running, state, isWorkload: true };
    if ((await decideExit(this.#work, this.#starter, exit)) === 'over') return true;
    const how = describeExit(state);
    if (!wasStarting && this.#isGivenUp(running, how)) return true;
    record.note((now) => ({
      ...now,
      status: wasStarting ? now.status : 'unhealthy',
      statusContext: `The server ended: ${how}. It is started again.`,
    }));
    return false;
  }

  #isGivenUp({ startedMs }: Running, how: string): boolean {
    const { lifecycle, config } = this.#work;
    this.#alive.failed(performance.now() - startedMs);
    if (!this.#alive.isFailing) return false;
    lifecycle.finish({
      how: 'failed',
      error: restartsExhausted(config.name, RESTART_LIMITS.failuresToFail, how),
    });
    return true;
  }

  async #startAgain(): Promise<boolean> {
    const { lifecycle, config, context } = this.#work;
    const signal = AbortSignal.any([this.#stop.signal, lifecycle.signal]);
    const failed = (error: unknown): boolean => {
      context.logger.warn({ error }, 'server could not be started');
      if (!lifecycle.isStarting && !this.#alive.isFailing) return true;
      const how = error instanceof Error ? error.message : String(error);
      const reason =
        lifecycle.isStarting && isPortolanError(error)
          ? error
          : restartsExhausted(config.name, RESTART_LIMITS.failuresToFail, how);
      lifecycle.finish({ how: 'failed', error: reason });
      return false;
    };
    return await this.#alive.startAgain(() => untilReachable(() => this.#startOnce(), signal), {
      signal,
      failed,
    });
  }

  async #exitOf(id: string): Promise<ContainerState | undefined> {
    const { signal } = this.#stop;
    try {
      return await untilReachable(() => this.#starter.parts.runtime.waitForExit(id, signal), signal);
    } catch (error) {
      if (!signal.aborted) this.#work.context.logger.error({ error }, 'container cannot be watched');
      return undefined;
    }
  }

  /** Reads the server's output. Attaches again when the stream ends while the container still runs. */
  async #readOutput(id: string, attached: Attachment | undefined): Promise<void> {
    const { output, context } = this.#work;
    const { runtime } = this.#starter.parts;
    const { signal } = this.#stop;
    let attachment = attached;
    try {
      while (this.#running?.id === id || attachment !== undefined) {
        attachment ??= await untilReachable(() => runtime.attachContainer(id, signal), signal);
        const { stdout, stderr } = attachment;
        await Promise.all(
          [stdout, stderr].map(async (stream) => {
            for await (const line of readLines(stream)) output.line(line);
          }),
        );
        attachment = undefined;
        await pass(ATTACH_AGAIN_MS, undefined, { signal });
        if ((await runtime.inspectContainer(id, signal))?.state.running !== true) return;
      }
    } catch (error) {
      if (!signal.aborted) context.logger.warn({ error }, 'output of the server cannot be read');
    } finally {
      attachment?.close();
    }
  }
}
