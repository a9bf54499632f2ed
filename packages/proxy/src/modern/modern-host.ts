import type { Logger } from '@portolan/plugin-api';
import type { Counts } from '../counts.ts';
import { serverIsLegacy } from '../errors/era-errors.ts';
import { proxyClosing } from '../errors/server-errors.ts';
import { servedRevisions } from '../era/narrow-discovery.ts';
import { probeServer } from '../era/probe-server.ts';
import { LEGACY_REVISIONS, MODERN_REVISIONS } from '../era/revisions.ts';
import type { ProcessPool } from '../server/process-pool.ts';
import type { RestartPace } from '../server/restart-pace.ts';
import type { RequestLimits } from '../server/server-request.ts';
import { ModernProcess } from './modern-process.ts';

export interface ModernHostOptions {
  /** Where the process comes from when the first client does. */
  readonly pool: ProcessPool;
  readonly restarts: RestartPace;
  /** Whether that is the only process there is, for clients with a handshake as well: the first of them all decides. */
  readonly isOnlyOne: boolean;
  /** How the proxy introduces itself to the server. */
  readonly version: string;
  readonly limits: RequestLimits & {
    /** How long a client waits for the verdict; a server that is silent so long is taken for one of older revisions. */
    readonly probeMs: number;
    /**
     * How long it is listened to all the same: it may only be slow to start. So
     * long it is taken for one of older revisions as well, when it was not sure.
     */
    readonly longestProbeMs: number;
    readonly mostSubscriptions: number;
  };
  readonly counts: Counts;
  readonly logger: Logger;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
  /** Told when the process ends again and again. */
  readonly failing: () => void;
}

/** A process on its way. */
interface Starting {
  /** Settles when it can be used, or cannot, or was silent for too long; in the last case it may be there later. */
  readonly first: Promise<ModernProcess>;
}

/** Serves clients without a handshake with one process, once a server is found to speak their revisions. */
export class ModernHost {
  readonly #options: ModernHostOptions;
  #process: ModernProcess | undefined;
  #starting: Starting | undefined;
  /** Until when the server is known to be of older revisions; its image does not change while the proxy runs. */
  #legacyUntilMs = 0;
  #isClosing = false;

  constructor(options: ModernHostOptions) {
    this.#options = options;
  }

  /** Revisions that are served, as far as is known; never empty. */
  get supported(): readonly string[] {
    return this.#process?.supported ?? MODERN_REVISIONS;
  }

  /** Those that nobody else counts. */
  get processes(): number {
    const { pool, isOnlyOne } = this.#options;
    return isOnlyOne ? 0 : pool.running;
  }

  /** Revisions for which the only process there is was taken; undefined where it was not, or there are others. */
  async takenFor(): Promise<readonly string[] | undefined> {
    if (!this.#options.isOnlyOne) return undefined;
    await this.#starting?.first.catch(() => undefined);
    return this.#process?.supported;
  }

  /** The only process there is was greeted: after its end the next is for clients with a handshake again. */
  noteGreeting(): void {
    if (this.#options.isOnlyOne) this.#legacyUntilMs = Infinity;
  }

  get waiting(): number {
    return this.#process?.waiting ?? 0;
  }

  /**
   * The process that serves. Throws ERR_SERVER_IS_LEGACY, ERR_SERVER_NOT_STARTED
   * and ERR_PROXY_CLOSING.
   */
  async process(): Promise<ModernProcess> {
    if (this.#process !== undefined) return this.#process;
    if (this.#isClosing) throw proxyClosing();
    if (this.#options.nowMs() < this.#legacyUntilMs) throw serverIsLegacy(LEGACY_REVISIONS);
    return (this.#starting ?? this.#startOnce()).first;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#options.pool.close();
  }

  #startOnce(): Starting {
    const silent = Promise.withResolvers<never>();
    const process = this.#start(() => silent.reject(serverIsLegacy(LEGACY_REVISIONS)));
    const starting = { first: Promise.race([process, silent.promise]) };
    this.#starting = starting;
    const forget = (): void => {
      if (this.#starting === starting) this.#starting = undefined;
    };
    process.then(forget, forget);
    // Whoever waits hears of it; perhaps nobody does any more.
    starting.first.catch(() => undefined);
    return starting;
  }

  async #start(isSilent: () => void): Promise<ModernProcess> {
    const { pool, version, limits, isOnlyOne } = this.#options;
    // Whoever has it has greeted it.
    if (isOnlyOne && pool.isFull) throw serverIsLegacy(LEGACY_REVISIONS);
    const link = await pool.acquire();
    // An end that the question brings about is no crash; later ones are counted here.
    link.leave();
    const timer = setTimeout(isSilent, limits.probeMs);
    // Others wait for the only one.
    const waitMs = isOnlyOne ? limits.probeMs : limits.longestProbeMs;
    const verdict = await probeServer(link, version, waitMs);
    clearTimeout(timer);
    if (verdict.era === 'legacy') {
      void pool.release(link);
      if (this.#isClosing) throw proxyClosing();
      this.#legacyUntilMs = verdict.isSure ? Infinity : this.#options.nowMs() + limits.longestProbeMs;
      throw serverIsLegacy(LEGACY_REVISIONS);
    }
    const startedMs = this.#options.nowMs();
    const process: ModernProcess = new ModernProcess({
      ...this.#options,
      link,
      supported: servedRevisions(verdict.revisions),
      capabilities: verdict.capabilities,
      answered: () => pool.succeeded(),
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
