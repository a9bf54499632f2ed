import {
  type HostedExit,
  type HostedServerEvents,
  type OpenServer,
  type ServerBackend,
  type ServerConnection,
  isPortolanError,
} from '@portolan/plugin-api';
import { answersAgain } from '../wait-for-listen.ts';
import { isUnreachable, untilReachable } from '../server/engine-calls.ts';
import { forwardedHeaders } from '../server/forwarded-headers.ts';
import { KeepAlive, RESTART_LIMITS } from '../server/keep-alive.ts';
import type { ServerSide } from '../server/server-side.ts';
import { restartsExhausted, serverEnded } from '../supervise-errors.ts';
import { required, type Supervision } from '../supervision.ts';

/**
 * Server that a runtime without a container engine runs on its host. If the server speaks HTTP, this class
 * restarts it after each exit. If it speaks stdio, the proxy's process pool requests the next process.
 */
export class HostServer implements ServerSide {
  readonly #work: Supervision;
  readonly #alive: KeepAlive;
  readonly #stop = new AbortController();
  #open: OpenServer | undefined;
  #exit = Promise.withResolvers<HostedExit | undefined>();
  #startedMs = 0;
  /**
   * Whether the server was restarted and has not responded yet. Failed health checks are ignored until then.
   */
  #isAwaited = false;
  #keeping: Promise<void> | undefined;

  constructor(work: Supervision) {
    this.#work = work;
    this.#alive = new KeepAlive(RESTART_LIMITS);
    this.#stop.signal.addEventListener('abort', () => this.#exit.resolve(undefined), { once: true });
    work.lifecycle.signal.addEventListener('abort', () => this.#exit.resolve(undefined), { once: true });
  }

  get events(): HostedServerEvents {
    const { output, report, lifecycle } = this.#work;
    return {
      line: (text, process) => output.line(text, process),
      ended: (exit) => this.#ended(exit),
      progress: (text) => {
        if (lifecycle.isStarting) report({ report: 'step', step: 'container', text });
      },
    };
  }

  /** Sets the server that the host has opened. Must be called once, before all other methods. */
  take(open: OpenServer): void {
    this.#open = open;
  }

  get backend(): ServerBackend {
    const { backend } = required(this.#open, 'server of the host');
    const { target_path: endpoint } = this.#work.config;
    if (backend.carries === 'http')
      return {
        forwardHeaders: forwardedHeaders(this.#work),
        ...(endpoint === '' ? {} : { endpoint }),
        ...backend,
      };
    return { ...backend, openConnection: (signal) => this.#connect(signal) };
  }

  async start(): Promise<void> {
    // The proxy starts the first process as soon as it is open.
    if (this.backend.carries === 'messages') return;
    await this.#startOnce();
    this.#keeping = this.#keep();
  }

  notAnswering(reason: string): void {
    const { lifecycle, config, order, record } = this.#work;
    const open = required(this.#open, 'server of the host');
    if (open.backend.carries === 'messages') {
      lifecycle.finish({ how: 'failed', error: serverEnded(config.name, reason) });
      return;
    }
    if (this.#isAwaited) return;
    record.note((state) => ({ ...state, status: 'unhealthy', statusContext: reason }));
    if (!order.foreground) open.notAnswering(reason);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#keeping;
    await this.#open?.close();
  }

  async #startOnce(): Promise<void> {
    const { lifecycle } = this.#work;
    this.#exit = Promise.withResolvers();
    this.#startedMs = performance.now();
    await required(this.#open, 'server of the host').start(
      AbortSignal.any([this.#stop.signal, lifecycle.signal]),
    );
    lifecycle.begin();
  }

  /**
   * Opens a server process for a session. A failure during the start of the workload aborts that start
   * immediately.
   */
  async #connect(signal: AbortSignal): Promise<ServerConnection> {
    const { lifecycle, config, record } = this.#work;
    const { backend } = required(this.#open, 'server of the host');
    if (backend.carries === 'http') throw new TypeError('a server that speaks HTTP has no connections');
    const combinedSignal = AbortSignal.any([signal, lifecycle.signal]);
    try {
      const connection = await untilReachable(() => backend.openConnection(combinedSignal), combinedSignal);
      lifecycle.begin();
      record.note((state) =>
        state.status === 'unhealthy' ? { ...state, status: 'running', statusContext: '' } : state,
      );
      return connection;
    } catch (error) {
      if (combinedSignal.aborted || !lifecycle.isStarting || isUnreachable(error)) throw error;
      const how = error instanceof Error ? error.message : String(error);
      const reason = isPortolanError(error) ? error : serverEnded(config.name, how);
      lifecycle.finish({ how: 'failed', error: reason });
      throw error;
    }
  }

  #ended(exit: HostedExit): void {
    const { lifecycle, config, order, record, context } = this.#work;
    if (this.#stop.signal.aborted || lifecycle.isOver) return;
    void this.#tellPlugins(exit);
    context.logger.warn({ exit: exit.how }, 'server ended');
    const { backend } = required(this.#open, 'server of the host');
    if (lifecycle.isStarting) {
      lifecycle.finish({ how: 'failed', error: serverEnded(config.name, exit.how, exit.exitCode) });
    } else if (exit.removed === true) {
      lifecycle.finish({ how: 'removed', what: 'server' });
    } else if (order.foreground && (backend.carries === 'http' || backend.sessions === 'shared')) {
      lifecycle.finish({ how: 'exited', exitCode: exit.exitCode ?? 1 });
    } else if (backend.carries === 'http') {
      this.#exit.resolve(exit);
    } else if (backend.sessions === 'shared') {
      record.note((state) => ({ ...state, status: 'unhealthy', statusContext: sentenceOf(exit) }));
    }
  }

  /** Notifies plugins of the exit. The hook runner logs the errors of plugins. */
  async #tellPlugins({ exitCode }: HostedExit): Promise<void> {
    const { context, config } = this.#work;
    if (exitCode !== undefined) await context.hooks.containerExit({ name: config.name, exitCode });
  }

  async #keep(): Promise<void> {
    const { lifecycle, order, record } = this.#work;
    while (!this.#stop.signal.aborted && !lifecycle.isOver) {
      const exit = await this.#exit.promise;
      if (exit === undefined || this.#isGivenUp(exit)) return;
      record.note((state) => ({ ...state, status: 'unhealthy', statusContext: sentenceOf(exit) }));
      if (!(await this.#startAgain())) return;
      if (!lifecycle.isStarting && !order.foreground) void this.#waitForListen();
    }
  }

  #isGivenUp({ how }: HostedExit): boolean {
    const { lifecycle } = this.#work;
    this.#alive.failed(performance.now() - this.#startedMs);
    if (this.#alive.isFailing) lifecycle.finish({ how: 'failed', error: this.#exhausted(how) });
    return this.#alive.isFailing;
  }

  async #startAgain(): Promise<boolean> {
    const { lifecycle, context } = this.#work;
    const signal = AbortSignal.any([this.#stop.signal, lifecycle.signal]);
    return await this.#alive.startAgain(() => untilReachable(() => this.#startOnce(), signal), {
      signal,
      failed: (error) => {
        context.logger.warn({ error }, 'server could not be started');
        if (!this.#alive.isFailing) return true;
        const how = error instanceof Error ? error.message : String(error);
        lifecycle.finish({ how: 'failed', error: this.#exhausted(how) });
        return false;
      },
    });
  }

  #exhausted(how: string): ReturnType<typeof restartsExhausted> {
    return restartsExhausted(this.#work.config.name, RESTART_LIMITS.failuresToFail, how);
  }

  async #waitForListen(): Promise<void> {
    const exit = this.#exit;
    this.#isAwaited = true;
    const answers = await answersAgain(this.#work);
    if (this.#exit !== exit) return; // another server has started in the meantime
    this.#isAwaited = false;
    if (!answers) this.#open?.notAnswering('it did not respond after its restart');
  }
}

function sentenceOf({ how }: HostedExit): string {
  return `The server ended: ${how}. It is started again.`;
}
