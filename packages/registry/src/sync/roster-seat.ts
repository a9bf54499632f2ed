import type { SourceInstance } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { SourceDefinition } from '../admin/registry-admin.ts';
import type { SyncScheduler } from './sync-scheduler.ts';

/** A source made through the API, as it is stored. */
export interface WantedSource {
  readonly id: number;
  readonly name: string;
  /** Another one after every change of what is read, and how. */
  readonly reading: string;
  readonly definition: SourceDefinition;
}

export interface SeatSurroundings {
  readonly scheduler: SyncScheduler;
  readonly logger: Logger;
  readonly create: (definition: SourceDefinition, name: string) => Promise<SourceInstance>;
  /** Writes into the status of a source why it cannot be read. */
  readonly recordFailure: (source: WantedSource, error: unknown) => Promise<void>;
  /** Pause after which a source that could not be created is tried again. */
  readonly retryMs: number;
}

/** Pause between two syncs of a kind that needs no interval because it says itself when something changed. */
const UNASKED_INTERVAL_MS = 30 * 60_000;

/** Keeps the instance of one source what its stored definition wants it to be: one that runs, another one, or none. */
export class RosterSeat {
  readonly #around: SeatSurroundings;
  readonly #name: string;
  #wanted: WantedSource | undefined;
  #placed: { readonly source: WantedSource; readonly instance: SourceInstance } | undefined;
  #failed: { readonly source: WantedSource; readonly retryAtMs: number } | undefined;
  #settling: Promise<void> | undefined;

  constructor(name: string, around: SeatSurroundings) {
    this.#name = name;
    this.#around = around;
  }

  /** Nothing runs, and nothing is wanted to. */
  get isEmpty(): boolean {
    return this.#wanted === undefined && this.#placed === undefined && this.#settling === undefined;
  }

  /** Time to try again what could not be created. */
  get isRetryDue(): boolean {
    return (
      this.#failed !== undefined && performance.now() >= this.#failed.retryAtMs && this.#wanted !== undefined
    );
  }

  /** Says what is wanted; undefined: nothing. Settles when that, or what was wanted since, is so. Never throws. */
  want(wanted: WantedSource | undefined, first: 'at once' | 'when due'): Promise<void> {
    this.#wanted = wanted;
    this.#settling ??= this.#settle(first).finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settle(first: 'at once' | 'when due'): Promise<void> {
    for (;;) {
      const wanted = this.#wanted;
      if (isSame(this.#placed?.source, wanted)) return;
      if (this.#placed !== undefined) await this.#clear(this.#placed.instance);
      else if (wanted !== undefined) {
        const isTried = isSame(this.#failed?.source, wanted) && !this.isRetryDue;
        if (isTried || !(await this.#place(wanted, first))) return;
      }
    }
  }

  /** Whether the source is kept now, or another one is wanted by now. */
  async #place(source: WantedSource, first: 'at once' | 'when due'): Promise<boolean> {
    const { create, logger, recordFailure, retryMs } = this.#around;
    try {
      const instance = await create(source.definition, source.name);
      this.#placed = { source, instance };
      this.#failed = undefined;
    } catch (error) {
      this.#failed = { source, retryAtMs: performance.now() + retryMs };
      logger.warn({ source: source.name, err: error }, 'source made through the API cannot be created');
      await recordFailure(source, error);
      return !isSame(this.#wanted, source);
    }
    await this.#schedule(source, this.#placed.instance, first);
    return true;
  }

  async #schedule(source: WantedSource, { instance }: SourceInstance, first: 'at once' | 'when due') {
    const { id, name, reading, definition } = source;
    const { claimsFrom, filter, allowShrink, intervalMs = UNASKED_INTERVAL_MS } = definition;
    if (claimsFrom === 'publisher') return;
    // The configuration file may have named another source so before.
    await this.#around.scheduler.remove(name);
    this.#around.scheduler.add(
      { id, name, reading, instance, claimsFrom, filter, intervalMs, allowShrink },
      first,
    );
  }

  async #clear({ instance }: SourceInstance): Promise<void> {
    await this.#around.scheduler.remove(this.#name);
    this.#placed = undefined;
    try {
      await instance.close?.();
    } catch (error) {
      this.#around.logger.warn({ source: this.#name, err: error }, 'source could not be closed');
    }
  }
}

function isSame(a: WantedSource | undefined, b: WantedSource | undefined): boolean {
  return a?.id === b?.id && a?.reading === b?.reading;
}
