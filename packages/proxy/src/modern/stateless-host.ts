import { serverIsLegacy, servedRevisions, LEGACY_REVISIONS, MODERN_REVISIONS } from '@portolan/mcp-protocol';
import { setTimeout as pass } from 'node:timers/promises';
import type { Logger } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import { proxyClosing, serverTimedOut } from '../errors/server-errors.ts';
import { probeServer, type Verdict } from '../server/probe-server.ts';
import type { ProcessPool } from '../server/process-pool.ts';
import type { ServerLink } from '../server/server-link.ts';
import type { RestartPace } from '../request/restart-pace.ts';
import type { RequestLimits } from '../server/server-request.ts';
import type { Startup } from '../server/startup.ts';
import { ModernProcess } from './modern-process.ts';
import type { OnlyProcess } from './only-process.ts';

export interface StatelessHostOptions {
  readonly pool: ProcessPool;
  readonly restarts: RestartPace;
  readonly onlyProcess: OnlyProcess | undefined;
  readonly startup: Startup;
  /** Whether the process subscribes to changes of the tools, to clear the cached headers of arguments. */
  readonly watchesTools: () => boolean;
  readonly version: string;
  readonly limits: RequestLimits & {
    /**
     * Time for a probe in milliseconds in addition to the time that the first response to `initialize` took.
     */
    readonly probeMs: number;
    /**
     * Maximum time for the response to a probe in milliseconds; also the cache time of an uncertain verdict.
     */
    readonly startTimeoutMs: number;
    readonly maxSubscriptions: number;
  };
  readonly counts: Counts;
  readonly logger: Logger;
  readonly nowMs: () => number;
  readonly failing: () => void;
}

interface Starting {
  /** Settles when the process is ready, failed or late. A late one may still become ready. */
  readonly first: Promise<ModernProcess>;
}

/** Result of a probe. `handed over`: a client with a handshake waits for the process and gets it first. */
type Outcome = Verdict | { readonly era: 'handed over' };

/**
 * Serves all clients without a handshake with one process. First probes whether the server supports such
 * clients.
 */
export class StatelessHost {
  readonly #options: StatelessHostOptions;
  #process: ModernProcess | undefined;
  #starting: Starting | undefined;
  /**
   * Monotonic time until which the server counts as Legacy (handshake required). `Infinity` after a certain
   * result, because the image does not change while the proxy runs.
   */
  #legacyUntilMs = 0;
  #isClosing = false;

  constructor(options: StatelessHostOptions) {
    this.#options = options;
  }

  /**
   * Supported Modern revisions (without a handshake): those of the running process, otherwise all that the
   * proxy knows. Never empty.
   */
  get supported(): readonly string[] {
    return this.#process?.supported ?? MODERN_REVISIONS;
  }

  get processes(): number {
    const { pool, onlyProcess } = this.#options;
    return onlyProcess === undefined ? pool.running : 0;
  }

  /**
   * Returns the Modern revisions that the only process serves. Undefined when clients with a handshake may
   * use the process, or have processes of their own.
   */
  async takenFor(): Promise<readonly string[] | undefined> {
    const { onlyProcess } = this.#options;
    if (onlyProcess === undefined) return undefined;
    const first = this.#starting?.first.catch(() => undefined);
    if (first !== undefined) await Promise.race([first, onlyProcess.awaitTurn()]);
    return this.#process?.supported;
  }

  get waiting(): number {
    return this.#process?.waiting ?? 0;
  }

  /**
   * Returns the process, and starts it when necessary. Throws ERR_SERVER_IS_LEGACY, ERR_SERVER_TIMED_OUT,
   * ERR_SERVER_NOT_STARTED and ERR_PROXY_CLOSING.
   */
  async process(): Promise<ModernProcess> {
    if (this.#process !== undefined) return this.#process;
    if (this.#isClosing) throw proxyClosing();
    if (this.#options.nowMs() < this.#legacyUntilMs) throw serverIsLegacy(LEGACY_REVISIONS);
    return (this.#starting ?? this.#startOnce()).first;
  }

  /** Notifies clients that all lists may have changed, if they subscribed to such notifications. */
  announceListChanges(): void {
    this.#process?.announceListChanges();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#options.pool.close();
  }

  #startOnce(): Starting {
    const late = Promise.withResolvers<never>();
    const process = this.#start(() => late.reject(serverIsLegacy(LEGACY_REVISIONS)));
    const starting = { first: Promise.race([process, late.promise]) };
    this.#starting = starting;
    const forget = (): void => {
      if (this.#starting === starting) this.#starting = undefined;
    };
    process.then(forget, forget);
    // Waiting requests get the error; without one, the rejection must not be unhandled.
    starting.first.catch(() => undefined);
    return starting;
  }

  async #start(isLate: () => void): Promise<ModernProcess> {
    const { pool, limits, onlyProcess } = this.#options;
    for (;;) {
      if (await onlyProcess?.hasHandshake()) throw serverIsLegacy(LEGACY_REVISIONS);
      const link = await pool.acquire();
      // An exit caused by the probe is no failure; `StatelessHost` counts later exits.
      link.leave();
      const outcome = await this.#probe(link, isLate);
      if (outcome.era === 'modern') return this.#serve(link, outcome);
      const released = pool.release(link);
      if (this.#isClosing) throw proxyClosing();
      if (outcome.era === 'unknown') throw serverTimedOut(limits.startTimeoutMs);
      if (outcome.era === 'legacy') {
        this.#legacyUntilMs = outcome.isSure ? Infinity : this.#options.nowMs() + limits.startTimeoutMs;
        throw serverIsLegacy(LEGACY_REVISIONS);
      }
      await released;
      await onlyProcess?.handOver();
    }
  }

  /**
   * Probes a process. A missing response means Legacy only after another process has responded to
   * `initialize`, because the server may still be loading. Calls `isLate` when a response may follow.
   */
  async #probe(link: ServerLink, isLate: () => void): Promise<Outcome> {
    const { version, limits } = this.#options;
    const stop = new AbortController();
    let isLegacy = false;
    const verdict = async (): Promise<Outcome> => {
      const probed = await probeServer(link, version, limits.startTimeoutMs);
      return probed.era === 'unknown' && isLegacy ? { era: 'legacy', isSure: false } : probed;
    };
    const silence = async (): Promise<Outcome> => {
      await this.#isSilent(stop.signal);
      // Only one process can run, and clients with a handshake may be waiting for it.
      if (this.#options.onlyProcess !== undefined) return { era: 'legacy', isSure: false };
      isLegacy = true;
      isLate();
      return never();
    };
    try {
      return await Promise.race([verdict(), silence(), this.#isWanted(stop.signal)]);
    } finally {
      stop.abort();
    }
  }

  async #isSilent(signal: AbortSignal): Promise<void> {
    const { startup, limits, nowMs } = this.#options;
    const sentMs = nowMs();
    const { tookMs, namesModern } = await startup.first;
    if (namesModern) return never();
    const leftMs = tookMs + limits.probeMs - (nowMs() - sentMs);
    return await waitFor(Math.min(Math.max(0, leftMs), limits.startTimeoutMs), signal);
  }

  /** Settles when a client with a handshake waits for the process before any process has responded. */
  async #isWanted(signal: AbortSignal): Promise<Outcome> {
    const { onlyProcess, startup, limits } = this.#options;
    if (onlyProcess === undefined) return never();
    const { requested } = onlyProcess;
    await waitFor(limits.probeMs, signal);
    await requested;
    return startup.isKnown ? never() : { era: 'handed over' };
  }

  #serve(link: ServerLink, verdict: Verdict & { readonly era: 'modern' }): ModernProcess {
    const startedMs = this.#options.nowMs();
    const process: ModernProcess = new ModernProcess({
      ...this.#options,
      link,
      supported: servedRevisions(verdict.revisions),
      capabilities: verdict.capabilities,
      answered: () => this.#options.pool.succeeded(),
      over: () => this.#noteEnd(process, startedMs),
    });
    if (!link.hasEnded) this.#process = process;
    return process;
  }

  #noteEnd(process: ModernProcess, startedMs: number): void {
    if (this.#process === process) this.#process = undefined;
    if (this.#isClosing) return;
    const { restarts, failing, logger } = this.#options;
    const livedMs = this.#options.nowMs() - startedMs;
    restarts.failed(livedMs);
    logger.warn({ lived_ms: livedMs, delay_ms: restarts.delayMs }, 'server process failed');
    if (restarts.isFailing) failing();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Waits some milliseconds; stays pending when the signal aborts. */
async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pass(ms, undefined, { signal });
  } catch {
    await never();
  }
}
