import type { OpenConnection, PortolanError } from '@portolan/plugin-api';
import { proxyClosing, serverFailedToStart, serverNotStarted } from '../errors/server-errors.ts';
import { sessionsExhausted } from '../errors/session-errors.ts';
import type { RestartPace } from '../request/restart-pace.ts';
import { ServerLink } from './server-link.ts';
import type { LinkContext } from './link-options.ts';
import { WaitingLine } from './waiting-line.ts';

export interface PoolOptions extends LinkContext {
  readonly openConnection: OpenConnection;
  readonly maxProcesses: number;
  readonly keepsSpare: boolean;
  /** Whether a process that comes back unused waits for the next client. Default: like `keepsSpare`. */
  readonly keepsReturned?: boolean;
  /**
   * Delay before the next spare process starts, which leaves CPU time to the client that took the last spare.
   * Default: 0.
   */
  readonly spareDelayMs?: number;
  /** Maximum wait in milliseconds for free capacity, and again for the start of the process. */
  readonly startWaitMs: number;
  readonly restarts: RestartPace;
  readonly failing: (error: unknown) => void;
}

/**
 * Maximum number of callers that wait for a process. A later caller would only time out, and occupy a
 * connection until then.
 */
const MAX_WAITING = 256;

interface Next {
  readonly link: Promise<ServerLink>;
}

export interface AcquireOptions {
  /** Whether the process is for the supervisor's health request, which needs no new spare yet. */
  readonly toAsk?: boolean;
  readonly isWanted?: () => boolean;
}

export class ProcessPool {
  readonly #options: PoolOptions;
  readonly #stop = new AbortController();
  readonly #inUse = new Set<ServerLink>();
  readonly #open = new Map<ServerLink, Promise<void>>();
  /** All starts in progress, including those whose caller has given up. */
  readonly #starting = new Set<Promise<ServerLink>>();
  readonly #line = new WaitingLine();
  #noteAwaited = (): void => undefined;
  #promised = 0;
  #next: Next | undefined;
  #refilling: NodeJS.Timeout | undefined;
  #hasToldFailing = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#refill();
  }

  get isFull(): boolean {
    return this.#inUse.size + this.#promised >= this.#options.maxProcesses;
  }

  get awaited(): number {
    return this.#line.length;
  }

  onAwaited(note: () => void): void {
    this.#noteAwaited = note;
  }

  get busy(): number {
    return this.#inUse.size;
  }

  /** Includes the spare and processes that are ending. */
  get running(): number {
    return this.#open.size;
  }

  get isFailing(): boolean {
    return this.#options.restarts.isFailing;
  }

  /**
   * Returns a process that no client has used, in the order of the calls. Throws ERR_SESSIONS_EXHAUSTED after
   * the maximum wait, ERR_SESSION_ENDED when `isWanted` returns false, ERR_SERVER_NOT_STARTED and
   * ERR_PROXY_CLOSING.
   */
  async acquire({ toAsk = false, isWanted = always }: AcquireOptions = {}): Promise<ServerLink> {
    if (this.#stop.signal.aborted) throw proxyClosing();
    if (this.isFull || this.#line.length > 0) await this.#waitInLine(isWanted);
    else this.#promised += 1;
    const next = this.#next ?? this.#start();
    this.#next = undefined;
    try {
      const link = await this.#wait(next);
      // A spare may have ended while it was idle.
      if (link.hasEnded) throw serverNotStarted();
      this.#inUse.add(link);
      return link;
    } finally {
      this.#promised -= 1;
      this.#admit();
      if (!toAsk) this.#refillSoon();
    }
  }

  /** Takes back a process after the supervisor's health check and keeps it as the spare. */
  async putBack(link: ServerLink): Promise<void> {
    const { keepsSpare, keepsReturned = keepsSpare } = this.#options;
    const isOfUse = keepsReturned && this.#next === undefined && !this.#stop.signal.aborted;
    if (!isOfUse || link.hasEnded || link.waiting > 0) {
      await this.release(link);
      return;
    }
    link.leave();
    this.#inUse.delete(link);
    this.#next = { link: Promise.resolve(link) };
    this.#admit();
  }

  succeeded(): void {
    this.#options.restarts.succeeded();
    this.#hasToldFailing = false;
  }

  /** Frees the place after the process has exited. Idempotent. Never rejects. */
  async release(link: ServerLink, why?: PortolanError): Promise<void> {
    link.close(why).catch(() => undefined);
    await this.#open.get(link);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#refilling);
    this.#next = undefined;
    this.#line.close(proxyClosing());
    await Promise.allSettled([...this.#open.keys()].map((link) => this.release(link, proxyClosing())));
    await Promise.allSettled(this.#starting);
    await Promise.allSettled(this.#open.values());
  }

  #waitInLine(isWanted: () => boolean): Promise<void> {
    const { maxProcesses, startWaitMs } = this.#options;
    if (this.#line.length >= MAX_WAITING) throw sessionsExhausted(maxProcesses);
    const admitted = this.#line.wait(isWanted, startWaitMs, () => sessionsExhausted(maxProcesses));
    this.#noteAwaited();
    return admitted;
  }

  #admit(): void {
    while (!this.isFull && this.#line.admit()) this.#promised += 1;
  }

  /**
   * Waits for a starting process, at most `startWaitMs`. A process that starts too late stays for the next
   * caller.
   */
  async #wait(next: Next): Promise<ServerLink> {
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), this.#options.startWaitMs);
    try {
      const link = await Promise.race([next.link, late.promise]);
      if (link !== undefined) return link;
    } catch (error) {
      throw this.#stop.signal.aborted ? proxyClosing() : serverFailedToStart(error);
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
    const { keepsSpare, maxProcesses } = this.#options;
    if (
      !keepsSpare ||
      this.#next !== undefined ||
      this.#stop.signal.aborted ||
      this.#options.restarts.isFailing
    )
      return;
    if (this.#inUse.size + this.#promised >= maxProcesses) return;
    const next = this.#start();
    this.#next = next;
    // A waiting caller gets the error from the same promise. Without one, the pool starts the next spare.
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

  async #watch(link: ServerLink, startedMs: number): Promise<void> {
    await link.ended;
    const livedMs = this.#options.nowMs() - startedMs;
    // A process that ended after both the proxy's and the client's `initialize` is no failure: some servers
    // accept only one. The next process gets only the client's.
    if (!link.isClosing && !link.wasAsked && !link.isSessionLost) this.#noteFailure(livedMs, undefined);
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
  // The waiting caller gets the error, and `#startAfterDelay` has logged it.
}
