import type { Logger, SyncRecord } from '@portolan/plugin-api';
import type { Store } from '../store/open-store.ts';
import { Leases, leaseOwner } from './lease.ts';
import { type SyncedSource, type SyncSurroundings, syncSource } from './sync-source.ts';

export interface SchedulerOptions {
  readonly store: Store;
  readonly sources: readonly SyncedSource[];
  readonly logger: Logger;
  readonly clock: () => Date;
  readonly maxMetaSize: number;
  /** Told after every sync: the hook `syncCompleted`, measurements. */
  readonly completed: (record: SyncRecord) => Promise<void> | void;
  /** Syncs that run at one time. */
  readonly atOnce?: number;
}

export interface SyncScheduler {
  /** Settles when every source was tried once since the start. */
  readonly firstPass: Promise<void>;
  /** Reads a source as soon as it can be, whatever its interval says. */
  trigger(source: string): void;
  /** Stops what runs and closes watches; nothing runs any more when it settles. */
  stop(): Promise<void>;
}

const AT_ONCE = 4;
/** Longest sleep: after it the database is asked again, since another process may have changed the plan. */
const LONGEST_SLEEP_MS = 60_000;

/**
 * Keeps every source on a clock of its own: the first sync at once, then when
 * it is due (the database says, so that replicas share the work), or when the
 * source says that something changed.
 */
export function startSyncScheduler(options: SchedulerOptions): SyncScheduler {
  const stopping = new AbortController();
  const owner = leaseOwner();
  const { store, logger, clock, maxMetaSize } = options;
  const leases = new Leases(store, owner);
  const around: SyncSurroundings = { store, logger, clock, maxMetaSize, leases, owner };
  const places = new Places(options.atOnce ?? AT_ONCE);
  const clocks = options.sources.map(
    (source) => new SourceClock(source, around, places, options.completed, stopping.signal),
  );
  const running = clocks.flatMap((one) => [one.run(), one.watch()]);
  return {
    firstPass: Promise.all(clocks.map((one) => one.firstTry)).then(() => undefined),
    trigger: (name) => clocks.find((one) => one.name === name)?.ring(),
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

class SourceClock {
  readonly name: string;
  readonly firstTry: Promise<void>;
  readonly #source: SyncedSource;
  readonly #around: SyncSurroundings;
  readonly #places: Places;
  readonly #completed: SchedulerOptions['completed'];
  readonly #signal: AbortSignal;
  readonly #tried = Promise.withResolvers<void>();
  #rung = true; // the first sync begins at once
  #wake: (() => void) | undefined;

  constructor(
    source: SyncedSource,
    around: SyncSurroundings,
    places: Places,
    completed: SchedulerOptions['completed'],
    signal: AbortSignal,
  ) {
    this.name = source.name;
    this.firstTry = this.#tried.promise;
    this.#source = source;
    this.#around = around;
    this.#places = places;
    this.#completed = completed;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        await this.#syncWhenFree();
        await this.#sleep(await this.#pause());
      } catch (error) {
        this.#around.logger.warn({ source: this.name, err: error }, 'sync not possible now');
        this.#tried.resolve();
        await this.#sleep(5_000);
      }
    }
    this.#tried.resolve();
  }

  /** Rings when the source says so; a watch that breaks is begun again, the interval goes on meanwhile. */
  async watch(): Promise<void> {
    const { instance } = this.#source;
    while (instance.watch !== undefined && !this.#signal.aborted) {
      try {
        for await (const _ of instance.watch(this.#signal)) this.ring();
        return;
      } catch (error) {
        if (this.#signal.aborted) return;
        this.#around.logger.warn({ source: this.name, err: error }, 'watch broke; beginning again');
        await abortableDelay(5_000, this.#signal);
      }
    }
  }

  async #syncWhenFree(): Promise<void> {
    const rung = this.#rung;
    const leave = await this.#places.enter(this.#signal);
    if (leave === undefined) return;
    try {
      if (!(await this.#around.leases.take(this.#source.id, rung))) return;
      if (rung) this.#rung = false;
      const record = await syncSource(this.#source, this.#around, this.#signal);
      await this.#completed(record);
      this.#tried.resolve();
    } finally {
      leave();
    }
  }

  /** Milliseconds until it is worth asking again. */
  async #pause(): Promise<number> {
    const state = await this.#around.leases.state(this.#source.id);
    if (state === undefined) return LONGEST_SLEEP_MS;
    if (state.owner !== undefined) {
      // Another process reads it; whoever waits for the first pass need not wait for that.
      this.#tried.resolve();
      return state.freeInMs + 50;
    }
    return this.#rung ? 0 : state.dueInMs + 10;
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#signal.aborted || (this.#rung && ms === 0)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(ms, LONGEST_SLEEP_MS)).unref();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }
}

/** So many may be inside at one time; the others wait in order. */
class Places {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** How to leave again; undefined when the signal aborted first. */
  async enter(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#queue.push(resolve);
      await promise;
    }
    const leave = (): void => {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
    if (!signal.aborted) return leave;
    leave();
    return undefined;
  }
}

function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
