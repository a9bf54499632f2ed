import {
  type MessageBackend,
  parseDuration,
  type ServerConnection,
  untilAborted,
} from '@portolan/plugin-api';
import { RestingConnection } from '@portolan/proxy/idle';
import { stdioSessionsOf, textOf } from '@portolan/run-spec';
import type { SupervisedEnd } from '../process/supervised-end.ts';
import { KeepAlive, RESTART_LIMITS } from '../server/keep-alive.ts';
import type { ServerSide } from '../server/server-side.ts';
import type { Supervision } from '../supervision.ts';
import { timerMs } from '../timer-ms.ts';
import { beginRun, type TrackedState, trackState } from './begin-run.ts';
import { type RunParts, ServerRun } from './server-run.ts';

/** Number of checks within one idle time. A server thus stops at most one eighth of the idle time too late. */
const CHECKS_PER_IDLE_TIME = 8;
/** Maximum time between two checks whether the server is idle, in milliseconds. */
const MAX_CHECK_MS = 15_000;

export interface IdleOptions extends RunParts {
  /** Clock for the idle time, in milliseconds. Default: the monotonic clock of the process. */
  readonly nowMs?: () => number;
}

/**
 * Server that stops while no client uses it, and starts again with the next request. Its connections outlive it, so
 * sessions continue.
 */
export class IdleServer implements ServerSide {
  readonly backend: MessageBackend;
  readonly startsLater: boolean;
  readonly #work: Supervision;
  readonly #options: IdleOptions;
  readonly #nowMs: () => number;
  readonly #idleMs: number;
  /** Whether all connections share one process, so that they rest together. Otherwise, each has its own process. */
  readonly #isCommon: boolean;
  readonly #tracked: TrackedState;
  readonly #connections = new Set<RestingConnection>();
  readonly #alive = new KeepAlive(RESTART_LIMITS);
  readonly #timer: NodeJS.Timeout;
  #run: ServerRun | undefined;
  #starting: Promise<ServerRun> | undefined;
  #ending: Promise<void> = Promise.resolve();
  #opening = 0;
  #lastMs: number;
  #isClosed = false;

  constructor(work: Supervision, carries: 'messages' | 'http', options: IdleOptions) {
    const { config } = work;
    this.#work = work;
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#lastMs = this.#nowMs();
    this.startsLater = config.start === 'lazy';
    this.#idleMs = config.stop_after_idle === '' ? Infinity : parseDuration(config.stop_after_idle);
    const isHttp = carries === 'http';
    const sessions = isHttp ? 'own' : stdioSessionsOf(config);
    this.#isCommon = isHttp || sessions === 'shared';
    this.#tracked = trackState(work.record, work.state);
    const isSse = isHttp ? config.transport === 'sse' : config.proxy_mode === 'sse';
    this.backend = {
      carries: 'messages',
      mode: isSse ? 'sse' : 'streamable-http',
      sessions,
      translatesEras: config.translate_eras !== false,
      startsOnDemand: true,
      respondAtRest: (request) => (this.isIdle ? work.drift?.respond(request) : undefined),
      ...(isHttp ? { sendsCredentials: true } : {}),
      openConnection: (signal) => this.#openConnection(signal),
    };
    const checkMs = Math.min(MAX_CHECK_MS, this.#idleMs / CHECKS_PER_IDLE_TIME);
    this.#timer = setInterval(() => this.look(), checkMs);
    this.#timer.unref();
  }

  get isIdle(): boolean {
    return this.#run === undefined;
  }

  /** Starts the server, unless the first request does. */
  async begin(): Promise<void> {
    if (this.startsLater) return;
    const run = this.#startRun();
    await run.launched;
  }

  /** Waits for a server that `begin` has started. Throws the reason when it does not start. */
  async start(): Promise<void> {
    await this.#run?.ready;
  }

  notAnswering(reason: string): void {
    this.#run?.notAnswering(reason);
  }

  suspect(): void {
    this.#run?.suspect();
  }

  /** Ends what runs. The proxy is already closed, and has closed its connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
    await Promise.allSettled([this.#starting]);
    await this.#ending;
    await this.#run?.close();
  }

  /** Ends processes that were idle for long enough, and stops the server when none is left. A timer calls this. */
  look(): void {
    const { lifecycle, member } = this.#work;
    // A member counts as starting until its first message, which may never come.
    if (this.#isClosed || lifecycle.isOver || (this.#isFirstStart && member === undefined)) return;
    const awake = [...this.#connections].filter((connection) => !connection.isResting);
    const idle = awake.filter((connection) => !connection.isBusy && this.#isOver(connection.lastMs));
    if (this.#isCommon && idle.length < awake.length) return;
    for (const connection of idle) void connection.rest();
    const isUsed = this.#opening > 0 || idle.length < awake.length;
    if (this.#run !== undefined && !isUsed && this.#isOver(this.#lastMs)) this.#stopRun(this.#run);
  }

  /** Whether the workload itself starts, together with its server. It then fails if the server does not start. */
  get #isFirstStart(): boolean {
    return this.#work.lifecycle.isStarting && !this.startsLater;
  }

  #isOver(sinceMs: number): boolean {
    return this.#nowMs() - sinceMs >= this.#idleMs;
  }

  async #openConnection(signal: AbortSignal): Promise<RestingConnection> {
    const { order, context } = this.#work;
    const connection = await RestingConnection.open(
      {
        open: (aborted) => this.#connect(aborted),
        startTimeoutMs: timerMs(order.startTimeoutMs),
        over: (ended) => {
          this.#connections.delete(ended);
          this.#lastMs = this.#nowMs();
        },
        nowMs: this.#nowMs,
        logger: context.logger,
      },
      signal,
    );
    this.#connections.add(connection);
    return connection;
  }

  /** Opens a process for one connection, and starts the server if it does not run. */
  async #connect(signal: AbortSignal): Promise<ServerConnection> {
    this.#opening += 1;
    try {
      const run = await untilAborted(this.#awake(), signal);
      return await run.openConnection(signal);
    } finally {
      this.#opening -= 1;
      this.#lastMs = this.#nowMs();
    }
  }

  /** Returns the running server. All callers wait for the same start. */
  async #awake(): Promise<ServerRun> {
    const run = this.#run;
    if (run !== undefined) {
      await run.ready;
      return run;
    }
    this.#starting ??= this.#startAgain().finally(() => {
      this.#starting = undefined;
    });
    return await this.#starting;
  }

  async #startAgain(): Promise<ServerRun> {
    await this.#ending;
    const { lifecycle, context, config } = this.#work;
    await this.#alive.pause(lifecycle.signal);
    lifecycle.signal.throwIfAborted();
    const startedMs = performance.now();
    const run = this.#startRun();
    await run.ready;
    const tookMs = Math.round(performance.now() - startedMs);
    context.logger.info({ workload: config.name, took_ms: tookMs }, 'idle server was started again');
    this.#work.drift?.compareStarted();
    this.#tracked.record.note((state) =>
      state.status === 'idle' ? { ...state, status: 'running', statusContext: '' } : state,
    );
    return run;
  }

  #startRun(): ServerRun {
    const work = beginRun(this.#work, this.#tracked, () => {
      if (this.#alive.delayMs > 0) this.#alive.succeeded();
      this.#work.heard?.();
    });
    const run = new ServerRun(this.#work, work, this.#options);
    this.#run = run;
    void work.lifecycle.started.then(() => this.#work.lifecycle.begin());
    void work.lifecycle.ended.then((end) => this.#ended(run, end));
    return run;
  }

  /**
   * Handles the end of a run that was not requested: ends the workload. A server that could not be started again stays
   * idle instead, and the next request starts it after a delay.
   */
  #ended(run: ServerRun, end: SupervisedEnd): void {
    const { lifecycle } = this.#work;
    if (end.how === 'stopped' || this.#run !== run || lifecycle.isOver) return;
    if (this.#isFirstStart || !run.work.lifecycle.isStarting) {
      lifecycle.finish(end);
      return;
    }
    this.#alive.failed(0);
    const why = end.how === 'failed' ? `It could not be started: ${textOf(end.error)}` : '';
    this.#stopRun(run, why);
  }

  #stopRun(run: ServerRun, statusContext = ''): void {
    this.#run = undefined;
    this.#ending = this.#endRun(run, statusContext);
  }

  async #endRun(run: ServerRun, statusContext: string): Promise<void> {
    await run.close();
    if (this.#isClosed) return;
    const { context, config } = this.#work;
    context.logger.info({ workload: config.name }, 'idle server was stopped');
    this.#work.missing = undefined;
    this.#tracked.record.note((state) => ({ ...state, status: 'idle', statusContext, containerId: '' }));
  }
}
