import { setTimeout as pass } from 'node:timers/promises';
import { type MessageBackend, type ServerConnection, untilAborted } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { askBackend } from '../server/ask-backend.ts';
import { KeepAlive, RESTART_LIMITS } from '../server/keep-alive.ts';
import { openOneServer } from '../server/open-one-server.ts';
import type { ServerSide } from '../server/server-side.ts';
import type { SupervisedEnd } from '../process/supervised-end.ts';
import type { Supervision } from '../supervision.ts';
import { waitForListen } from '../wait-for-listen.ts';
import { MemberHealth } from './member-health.ts';
import { memberUnavailable } from './member-errors.ts';
import type { MemberTarget } from './member-source.ts';
import { beginMember, type MemberPlan } from './member-supervision.ts';
import { type MemberAccess, openMemberBackend } from './open-member-backend.ts';

/** Limits of restarts of a member. A member is never given up, since the others do not end with it. */
const MEMBER_LIMITS = { ...RESTART_LIMITS, longestDelayMs: 60_000 };

/** Time in milliseconds for which a connection waits for a member that is starting. */
const START_WAIT_MS = 120_000;

interface Running {
  readonly work: Supervision;
  readonly backend: MessageBackend;
}

/**
 * Server of a member that runs together with the virtual server, or of a remote member. Restarts a server that
 * has ended or could not start, with growing delays.
 */
export class MemberServer implements MemberTarget {
  readonly #parent: Supervision;
  readonly #plan: MemberPlan;
  readonly #access: MemberAccess;
  readonly #stop = new AbortController();
  readonly #alive = new KeepAlive(MEMBER_LIMITS);
  #running: Running | undefined;
  /** Settles when the current start has succeeded or failed. */
  #starting = Promise.withResolvers<void>();
  /** Why the server does not run now; undefined while it runs, or starts for the first time. */
  #fault: string | undefined;
  /** Like `#fault`, until the server responds. */
  #lastFault = '';
  #keeping: Promise<void> | undefined;
  #health: MemberHealth | undefined;
  /** Why the running server does not respond; undefined while it does. */
  #silence: string | undefined;
  readonly hasOutcomes: boolean;

  constructor(parent: Supervision, plan: MemberPlan, access: MemberAccess) {
    this.#parent = parent;
    this.#plan = plan;
    this.#access = access;
    const { config } = plan;
    const { transports } = parent.context.kinds;
    this.hasOutcomes = config.remote_url !== '' || transports.get(config.transport) === 'http';
  }

  /** Begins to start the server. Errors are reported by `unavailable`, and by each connection. */
  begin(): void {
    this.#keeping ??= this.#keep();
  }

  get fault(): string {
    return this.#lastFault;
  }

  get isIdle(): boolean {
    return this.#plan.record.state.status === 'idle';
  }

  get notice(): string {
    return this.#plan.record.state.notice;
  }

  readonly unavailable = (): string | undefined => this.#fault;

  readonly silent = (): string | undefined => this.#silence;

  readonly suspect = (): void => {
    this.#health?.suspect();
    this.#running?.work.server?.suspect?.();
  };

  readonly open = async (signal: AbortSignal): Promise<ServerConnection> => {
    const running = await this.#awaitRunning(signal);
    const { lifecycle } = running.work;
    return await running.backend.openConnection(AbortSignal.any([signal, lifecycle.signal]));
  };

  readonly close = async (): Promise<void> => {
    this.#stop.abort();
    await this.#keeping;
  };

  async #awaitRunning(signal: AbortSignal): Promise<Running> {
    const { member } = this.#plan;
    const late = AbortSignal.timeout(START_WAIT_MS);
    if (this.#running === undefined && this.#fault === undefined)
      await untilAborted(this.#starting.promise, AbortSignal.any([signal, late, this.#stop.signal]));
    if (this.#running !== undefined) return this.#running;
    throw memberUnavailable(member, this.#fault ?? 'it is starting');
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const startedMs = performance.now();
      const why = await this.#runOnce();
      if (signal.aborted) break;
      this.#alive.failed(performance.now() - startedMs);
      this.#noteFault(why);
      await pass(this.#alive.delayMs, undefined, { signal }).catch(() => undefined);
    }
    this.#starting.resolve();
  }

  /** Starts the server, and returns why it has ended. */
  async #runOnce(): Promise<string> {
    const work = beginMember(this.#parent, this.#plan);
    const { lifecycle, opened } = work;
    const stop = (): void => lifecycle.finish({ how: 'stopped' });
    this.#stop.signal.addEventListener('abort', stop, { once: true });
    if (this.#stop.signal.aborted) stop();
    try {
      await this.#start(work);
      return describeEnd(await lifecycle.ended);
    } catch (error) {
      if (lifecycle.end !== undefined) return describeEnd(lifecycle.end);
      this.#parent.context.logger.warn({ member: this.#plan.member, err: error }, 'member could not start');
      return textOf(error);
    } finally {
      this.#stop.signal.removeEventListener('abort', stop);
      if (lifecycle.end === undefined) stop();
      this.#running = undefined;
      this.#health = undefined;
      this.#silence = undefined;
      await opened.run();
    }
  }

  async #start(work: Supervision): Promise<void> {
    const server = await openOneServer(
      work,
      () => Promise.resolve(),
      (backend) => openMemberBackend(backend, this.#access, work),
    );
    work.opened.push('server', () => server.close());
    work.server = server;
    const isRemote = work.config.remote_url !== '';
    const backend = await this.#openBackend(work, server);
    work.lifecycle.signal.throwIfAborted();
    if (server.backend.carries === 'messages') {
      work.heard = () => this.#noteReady(work);
      this.#take({ work, backend });
      await server.begin?.();
      return;
    }
    await server.begin?.();
    await server.start();
    if (!isRemote) await waitForListen(work);
    this.#watchHealth(work, server);
    this.#noteReady(work);
    this.#take({ work, backend });
  }

  async #openBackend(work: Supervision, { backend }: ServerSide): Promise<MessageBackend> {
    if (backend.carries === 'messages') return backend;
    work.ask = (signal) => askBackend(backend, work, signal);
    const opened = await openMemberBackend(backend, this.#access, work);
    work.opened.push('connections', () => opened.close());
    return opened.backend;
  }

  /** Lets failed and late requests check a server that speaks HTTP. A server that hangs is started again. */
  #watchHealth({ ask, opened, record }: Supervision, server: ServerSide): void {
    if (ask === undefined) return;
    const { logger } = this.#parent.context;
    const { member } = this.#plan;
    const health = new MemberHealth({
      ask,
      failed: (why) => {
        if (this.#silence === undefined) logger.warn({ member, why }, 'member does not respond');
        this.#silence = `it does not respond: ${why}`;
        server.notAnswering(why);
      },
      recovered: () => {
        logger.info({ member }, 'member responds again');
        this.#silence = undefined;
        record.note((state) => ({ ...state, status: 'running', statusContext: '' }));
      },
    });
    this.#health = health;
    opened.push('health checks', () => health.close());
  }

  #take(running: Running): void {
    this.#running = running;
    this.#fault = undefined;
    this.#starting.resolve();
    const status = running.work.server?.isIdle === true ? 'idle' : 'running';
    this.#plan.record.note((state) => ({ ...state, status, statusContext: '' }));
  }

  #noteReady({ lifecycle }: Supervision): void {
    if (!lifecycle.isStarting) return;
    lifecycle.ready();
    this.#lastFault = '';
    const { clock } = this.#parent.context;
    this.#plan.record.note((state) => ({ ...state, startedAt: clock() }));
  }

  #noteFault(why: string): void {
    const { logger } = this.#parent.context;
    logger.warn({ member: this.#plan.member, why }, 'member does not run and is started again');
    this.#fault = why;
    this.#lastFault = why;
    this.#starting.resolve();
    this.#starting = Promise.withResolvers();
    this.#plan.record.note((state) => ({ ...state, status: 'error', statusContext: why, containerId: '' }));
  }
}

function describeEnd(end: SupervisedEnd): string {
  switch (end.how) {
    case 'failed':
      return end.error.message;
    case 'exited':
      return `its server ended with exit status ${end.exitCode}`;
    case 'removed':
      return `its ${end.what} was removed by another program`;
    case 'stopped':
      return 'it is stopped';
    default:
      return end satisfies never;
  }
}
