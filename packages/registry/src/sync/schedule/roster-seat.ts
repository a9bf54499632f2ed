import type { SourceInstance } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { SourceDefinition } from '../../admin/admin-definitions.ts';
import type { SyncScheduler } from './sync-scheduler.ts';

export interface ScheduledSource {
  readonly id: number;
  readonly name: string;
  /** Random text that changes with everything that affects what is read. */
  readonly reading: string;
  readonly definition: SourceDefinition;
}

export interface SeatContext {
  readonly scheduler: SyncScheduler;
  readonly logger: Logger;
  readonly create: (definition: SourceDefinition, name: string) => Promise<SourceInstance>;
  readonly recordFailure: (source: ScheduledSource, error: unknown) => Promise<void>;
  /** Time before the creation of a failed source is retried, in milliseconds. */
  readonly retryMs: number;
}

/** Interval for kinds that need none because they report changes themselves, in milliseconds. */
const UNASKED_INTERVAL_MS = 30 * 60_000;

/** Keeps the running instance of one source equal to its stored definition. */
export class RosterSeat {
  readonly #around: SeatContext;
  readonly #name: string;
  #source: ScheduledSource | undefined;
  #placed: { readonly source: ScheduledSource; readonly instance: SourceInstance } | undefined;
  #failed: { readonly source: ScheduledSource; readonly retryAtMs: number } | undefined;
  #settling: Promise<void> | undefined;

  constructor(name: string, around: SeatContext) {
    this.#name = name;
    this.#around = around;
  }

  /** Whether there is no instance and none is wanted. */
  get isEmpty(): boolean {
    return this.#source === undefined && this.#placed === undefined && this.#settling === undefined;
  }

  get isRetryDue(): boolean {
    return (
      this.#failed !== undefined && performance.now() >= this.#failed.retryAtMs && this.#source !== undefined
    );
  }

  /**
   * Sets the wanted definition; undefined means none. Resolves when the instance matches it or a later one.
   * Never throws.
   */
  want(source: ScheduledSource | undefined, first: 'at once' | 'when due'): Promise<void> {
    this.#source = source;
    this.#settling ??= this.#settle(first).finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settle(first: 'at once' | 'when due'): Promise<void> {
    for (;;) {
      const source = this.#source;
      if (isSame(this.#placed?.source, source)) return;
      if (this.#placed !== undefined) await this.#clear(this.#placed.instance);
      else if (source !== undefined) {
        const isTried = isSame(this.#failed?.source, source) && !this.isRetryDue;
        if (isTried || !(await this.#place(source, first))) return;
      }
    }
  }

  /**
   * Creates an instance and schedules its syncs. Returns true when the instance matches the definition, or
   * another definition is wanted by now.
   */
  async #place(source: ScheduledSource, first: 'at once' | 'when due'): Promise<boolean> {
    const { create, logger, recordFailure, retryMs } = this.#around;
    try {
      const instance = await create(source.definition, source.name);
      this.#placed = { source, instance };
      this.#failed = undefined;
    } catch (error) {
      this.#failed = { source, retryAtMs: performance.now() + retryMs };
      logger.warn({ source: source.name, err: error }, 'cannot open a source of the API');
      await recordFailure(source, error);
      return !isSame(this.#source, source);
    }
    await this.#schedule(source, this.#placed.instance, first);
    return true;
  }

  async #schedule(source: ScheduledSource, { instance }: SourceInstance, first: 'at once' | 'when due') {
    const { id, name, reading, definition } = source;
    const { claimsFrom, filter, allowShrink, intervalMs = UNASKED_INTERVAL_MS } = definition;
    if (claimsFrom === 'publisher') return;
    // The name may still be used by a source of the configuration file.
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
      this.#around.logger.warn({ source: this.#name, err: error }, 'cannot close the source');
    }
  }
}

function isSame(a: ScheduledSource | undefined, b: ScheduledSource | undefined): boolean {
  return a?.id === b?.id && a?.reading === b?.reading;
}
