import { abortableDelay } from './abortable-delay.ts';
import { LEASE_MS } from './lease.ts';
import { startRenewal } from './lease-renewal.ts';
import type { SyncedSource, SyncContext } from '../synced-source.ts';

/** Pause before an ended watch restarts, in milliseconds. It doubles up to a maximum. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/** Milliseconds between checks of the lease. */
const LOOK_MS = LEASE_MS / 3;

/**
 * Watches a source for changes. One process at a time watches, by a lease; another one takes over when the
 * lease expires. A watch that ends or throws is restarted.
 */
export class SourceWatch {
  readonly #source: SyncedSource;
  readonly #around: SyncContext;
  readonly #trigger: () => void;
  readonly #unitMs: number;
  /**
   * Whether no watch has started yet. The first sync reads what existed before, so the first watch need not
   * trigger another.
   */
  #isFirst = true;

  /** `unitMs` replaces one second in every pause, for tests. */
  constructor(source: SyncedSource, around: SyncContext, trigger: () => void, unitMs = 1000) {
    this.#source = source;
    this.#around = around;
    this.#trigger = trigger;
    this.#unitMs = unitMs;
  }

  /** Watches until the signal aborts. Never throws. */
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
        logger.warn({ source: name, err: error }, 'cannot get the lease for the watch');
      }
      await abortableDelay(this.#scaled(LOOK_MS), signal);
    }
  }

  /** Watches until the lease is lost or the signal aborts. */
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
      const startedAt = performance.now();
      let fault: unknown;
      try {
        const changes = instance.watch?.(signal) ?? [];
        // Triggers a sync, which finds changes from the time without a watch.
        if (!this.#isFirst) this.#trigger();
        this.#isFirst = false;
        for await (const _ of changes) this.#trigger();
      } catch (error) {
        fault = error;
      }
      if (signal.aborted) return;
      if (performance.now() - startedAt > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
      this.#around.logger.warn({ source: name, err: fault, pauseMs }, 'watch ended; it starts again');
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
      this.#around.logger.warn({ source: this.#source.name, err: error }, 'lease for the watch not renewed');
    }
  }
}
