import { abortableDelay } from './abortable-delay.ts';
import { LEASE_MS } from './lease.ts';
import { startRenewal } from './lease-renewal.ts';
import type { SyncedSource, SyncSurroundings } from './synced-source.ts';

/** Pause before a watch that ended is begun again; it doubles each time, up to the longest. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** How often a process that does not watch looks whether it should: well within one lease of another that died. */
const LOOK_MS = LEASE_MS / 3;

/**
 * Watches one source for all processes that share the database: a lease says
 * which. The others look from time to time, and one takes over when the lease
 * runs out. A watch that ends or throws is begun again.
 */
export class SourceWatch {
  readonly #source: SyncedSource;
  readonly #around: SyncSurroundings;
  readonly #trigger: () => void;
  readonly #unitMs: number;
  /** The first sync of this process reads what was there before the first watch. */
  #isFirst = true;

  /** `unitMs`: what a second of every pause takes; a test has less time. */
  constructor(source: SyncedSource, around: SyncSurroundings, trigger: () => void, unitMs = 1000) {
    this.#source = source;
    this.#around = around;
    this.#trigger = trigger;
    this.#unitMs = unitMs;
  }

  /** Until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, logger } = this.#around;
    const { id, name, instance } = this.#source;
    while (instance.watch !== undefined && !signal.aborted) {
      try {
        if (await leases.takeWatch(this.#source)) {
          await this.#hold(signal);
          await leases.dropWatch(id);
        } else this.#isFirst = false;
      } catch (error) {
        logger.warn({ source: name, err: error }, 'the lease for watching is out of reach');
      }
      await abortableDelay(this.#scaled(LOOK_MS), signal);
    }
  }

  /** Watches until the lease is lost, or the signal aborts. */
  async #hold(signal: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const stopRenewal = startRenewal(() => this.#renew(lost));
    try {
      await this.#watch(AbortSignal.any([signal, lost.signal]));
    } finally {
      stopRenewal();
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { instance, name } = this.#source;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const begun = performance.now();
      let fault: unknown;
      try {
        const changes = instance.watch?.(signal) ?? [];
        // What happened while nobody watched is for a sync to find.
        if (!this.#isFirst) this.#trigger();
        this.#isFirst = false;
        for await (const _ of changes) this.#trigger();
      } catch (error) {
        fault = error;
      }
      if (signal.aborted) return;
      if (performance.now() - begun > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
      this.#around.logger.warn({ source: name, err: fault, pauseMs }, 'watch is over; beginning again');
      await abortableDelay(this.#scaled(pauseMs), signal);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  #scaled(ms: number): number {
    return (ms / 1000) * this.#unitMs;
  }

  async #renew(lost: AbortController): Promise<void> {
    try {
      if (!(await this.#around.leases.renewWatch(this.#source))) lost.abort();
    } catch (error) {
      this.#around.logger.warn({ source: this.#source.name, err: error }, 'lease for watching not renewed');
    }
  }
}
