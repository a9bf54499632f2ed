import type { OpenConnection, PortolanError } from '@portolan/plugin-api';
import { proxyClosing, serverNotStarted } from '../errors/server-errors.ts';
import { sessionsExhausted } from '../errors/session-errors.ts';
import type { RestartPace } from '../request/restart-pace.ts';
import { ServerLink } from './server-link.ts';
import type { LinkSurroundings } from './link-options.ts';
import { WaitingLine } from './waiting-line.ts';

export interface PoolOptions extends LinkSurroundings {
  readonly openConnection: OpenConnection;
  /** Most processes at once, the spare included. */
  readonly mostProcesses: number;
  /** Whether one process is kept started that nobody uses yet. */
  readonly keepsSpare: boolean;
  /** How long the next spare waits after one was taken: whoever took it is served first. Left out: not at all. */
  readonly spareDelayMs?: number;
  /** How long somebody waits for a place at most, and for a process to start there. */
  readonly startWaitMs: number;
  /** When processes are started again; nobody else's. */
  readonly restarts: RestartPace;
  /** Told once when processes fail again and again. */
  readonly failing: (error: unknown) => void;
}

/** Processes that end together, as with their engine or network, have failed once. */
const ONE_CAUSE_MS = 250;

/** Who comes after so many would not have a place in time, and holds a connection meanwhile. */
const MAX_WAITING = 256;

/** A process that is ready, or on its way. */
interface Next {
  readonly link: Promise<ServerLink>;
}

export interface AcquireOptions {
  /** The process is about to be asked by us, and a spare is not needed yet. */
  readonly toAsk?: boolean;
  /** Whether it is still wanted once there is a place. */
  readonly isWanted?: () => boolean;
}

/** Processes of one server: a bounded number, one of them started before it is asked for. */
export class ProcessPool {
  readonly #options: PoolOptions;
  readonly #stop = new AbortController();
  /** Handed out and not yet ended. */
  readonly #inUse = new Set<ServerLink>();
  /** Started, or being started; whether handed out or not. */
  readonly #open = new Map<ServerLink, Promise<void>>();
  /** Whoever started it may not wait for it any more. */
  readonly #starting = new Set<Promise<ServerLink>>();
  readonly #line = new WaitingLine();
  #noteAwaited = (): void => undefined;
  #promised = 0;
  #next: Next | undefined;
  #refilling: NodeJS.Timeout | undefined;
  #hasToldFailing = false;
  #endedMs = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#refill();
  }

  /** Whether a process can be had only when another one ends. */
  get isFull(): boolean {
    return this.#inUse.size + this.#promised >= this.#options.mostProcesses;
  }

  /** How many wait for a place. */
  get awaited(): number {
    return this.#line.length;
  }

  /** Calls this whenever somebody begins to wait for a place. */
  onAwaited(note: () => void): void {
    this.#noteAwaited = note;
  }

  /** Processes handed out. */
  get busy(): number {
    return this.#inUse.size;
  }

  /** Processes that run, the spare and those that are ending included. */
  get running(): number {
    return this.#open.size;
  }

  /** Whether processes fail so often that it will not get better by itself. */
  get isFailing(): boolean {
    return this.#options.restarts.isFailing;
  }

  /**
   * A process that no client has spoken to; our own question whether it is
   * there may have been put to it, see `ServerLink.wasAsked`. Where all are in
   * use, whoever came first gets the next place. Throws ERR_SESSIONS_EXHAUSTED
   * when none became free in time, ERR_SESSION_ENDED when it is not wanted any
   * more, ERR_SERVER_NOT_STARTED and ERR_PROXY_CLOSING.
   */
  async acquire({ toAsk = false, isWanted = always }: AcquireOptions = {}): Promise<ServerLink> {
    if (this.#stop.signal.aborted) throw proxyClosing();
    if (this.isFull || this.#line.length > 0) await this.#waitInLine(isWanted);
    else this.#promised += 1;
    const next = this.#next ?? this.#start();
    this.#next = undefined;
    try {
      const link = await this.#wait(next);
      // It may have ended while nobody looked after it.
      if (link.hasEnded) throw serverNotStarted();
      this.#inUse.add(link);
      return link;
    } finally {
      this.#promised -= 1;
      this.#admit();
      if (!toAsk) this.#refillSoon();
    }
  }

  /** Takes back a process that has answered our own question: the next who asks for one gets it. */
  async putBack(link: ServerLink): Promise<void> {
    const isOfUse = this.#options.keepsSpare && this.#next === undefined && !this.#stop.signal.aborted;
    if (!isOfUse || link.hasEnded || link.waiting > 0) {
      await this.release(link);
      return;
    }
    link.leave();
    this.#inUse.delete(link);
    this.#next = { link: Promise.resolve(link) };
    this.#admit();
  }

  /** Says that a process works, so that earlier failures are forgotten. */
  succeeded(): void {
    this.#options.restarts.succeeded();
    this.#hasToldFailing = false;
  }

  /** Ends a process; its place is free once it is gone. Safe to call twice; never rejects. */
  async release(link: ServerLink, why?: PortolanError): Promise<void> {
    // That it failed is logged where the process is watched.
    link.close(why).catch(() => undefined);
    await this.#open.get(link);
  }

  /** Ends all processes, those included that are being started. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#refilling);
    this.#next = undefined;
    this.#line.close(proxyClosing());
    await Promise.allSettled([...this.#open.keys()].map((link) => this.release(link, proxyClosing())));
    await Promise.allSettled(this.#starting);
    await Promise.allSettled(this.#open.values());
  }

  /** Settles with a place that is promised to the caller. */
  #waitInLine(isWanted: () => boolean): Promise<void> {
    const { mostProcesses, startWaitMs } = this.#options;
    if (this.#line.length >= MAX_WAITING) throw sessionsExhausted(mostProcesses);
    const admitted = this.#line.wait(isWanted, startWaitMs, () => sessionsExhausted(mostProcesses));
    this.#noteAwaited();
    return admitted;
  }

  #admit(): void {
    while (!this.isFull && this.#line.admit()) this.#promised += 1;
  }

  /** The process once it is there; one that comes too late is kept for the next who asks. */
  async #wait(next: Next): Promise<ServerLink> {
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), this.#options.startWaitMs);
    try {
      const link = await Promise.race([next.link, late.promise]);
      if (link !== undefined) return link;
    } catch (error) {
      throw this.#stop.signal.aborted ? proxyClosing() : serverNotStarted(error);
    } finally {
      clearTimeout(timer);
    }
    this.#keep(next);
    throw serverNotStarted();
  }

  #keep(next: Next): void {
    if (this.#next === undefined) this.#next = next;
    else next.link.then((link) => this.release(link), ignoreFailedStart);
  }

  #refillSoon(): void {
    const { spareDelayMs = 0 } = this.#options;
    clearTimeout(this.#refilling);
    if (spareDelayMs === 0) this.#refill();
    else if (!this.#stop.signal.aborted) this.#refilling = setTimeout(() => this.#refill(), spareDelayMs);
  }

  #refill(): void {
    const { keepsSpare, mostProcesses } = this.#options;
    if (
      !keepsSpare ||
      this.#next !== undefined ||
      this.#stop.signal.aborted ||
      this.#options.restarts.isFailing
    )
      return;
    if (this.#inUse.size + this.#promised >= mostProcesses) return;
    const next = this.#start();
    this.#next = next;
    // Whoever waits for it hears of a failure; with nobody waiting, the next attempt follows.
    next.link.catch(() => {
      if (this.#next === next) this.#next = undefined;
      this.#refill();
    });
  }

  #start(): Next {
    const link = this.#startAfterDelay();
    this.#starting.add(link);
    const forget = (): void => void this.#starting.delete(link);
    link.then(forget, forget);
    return { link };
  }

  async #startAfterDelay(): Promise<ServerLink> {
    const { signal } = this.#stop;
    await this.#options.restarts.pause(signal);
    const startedMs = this.#options.nowMs();
    let link: ServerLink;
    try {
      link = new ServerLink(await this.#options.openConnection(signal), this.#options);
    } catch (error) {
      this.#noteFailure(0, error);
      throw error;
    }
    this.#open.set(link, this.#watch(link, startedMs));
    if (signal.aborted) {
      await this.release(link, proxyClosing());
      throw proxyClosing();
    }
    return link;
  }

  /** Sees a process to its end, whoever ends it. */
  async #watch(link: ServerLink, startedMs: number): Promise<void> {
    await link.ended;
    const endedMs = this.#options.nowMs();
    const livedMs = endedMs - startedMs;
    const isOneCause = livedMs >= ONE_CAUSE_MS && endedMs - this.#endedMs < ONE_CAUSE_MS;
    this.#endedMs = endedMs;
    // What was asked before any client came may take the client's greeting amiss; the next is not asked.
    if (!link.isClosing && !isOneCause && !link.wasAsked) this.#noteFailure(livedMs, undefined);
    try {
      await link.close();
    } catch (error) {
      this.#options.logger.error({ err: error }, 'process could not be ended');
    }
    this.#open.delete(link);
    this.#inUse.delete(link);
    await this.#forgetSpare(link);
    this.#admit();
    this.#refill();
  }

  async #forgetSpare(link: ServerLink): Promise<void> {
    const next = this.#next;
    if (next === undefined) return;
    const spare = await Promise.race([next.link, Promise.resolve(undefined)]).catch(() => undefined);
    if (spare === link && this.#next === next) this.#next = undefined;
  }

  #noteFailure(livedMs: number, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#options.restarts.failed(livedMs);
    this.#options.logger.warn(
      { err: error, lived_ms: livedMs, delay_ms: this.#options.restarts.delayMs },
      'server process failed',
    );
    if (!this.#options.restarts.isFailing || this.#hasToldFailing) return;
    this.#hasToldFailing = true;
    this.#options.failing(error);
  }
}

function always(): boolean {
  return true;
}

function ignoreFailedStart(): void {
  // Told to whoever waits for the process, and logged where it happened.
}
