import type { SyncRecord } from '@portolan/plugin-api';
import type { LeaseState } from './lease.ts';
import type { FairSlot } from './fair-slot.ts';
import { SourceWatch } from './source-watch.ts';
import { syncSource } from '../sync-source.ts';
import type { SyncedSource, SyncContext } from '../synced-source.ts';

/**
 * Maximum time between two looks at the database, in milliseconds, since another process may change the
 * schedule.
 */
const MAX_SLEEP_MS = 60_000;
const REFUSED_PAUSE_MS = 500;

/** Waits for a slot among the concurrent syncs. Returns undefined when the signal aborts first. */
export type EnterSync = (signal: AbortSignal) => Promise<FairSlot | undefined>;

/** Runs the syncs of one source: when it is due, on a trigger, and when the source reports a change. */
export class SourceClock {
  readonly firstTry: Promise<void>;
  readonly #source: SyncedSource;
  readonly #around: SyncContext;
  readonly #enter: EnterSync;
  readonly #completed: (record: SyncRecord) => Promise<void> | void;
  readonly #stopping = new AbortController();
  readonly #signal = this.#stopping.signal;
  readonly #tried = Promise.withResolvers<void>();
  #running: Promise<unknown> = Promise.resolve();
  #triggered = false;
  /** Whether a trigger arrived since this round began, perhaps before the clock slept. */
  #isWoken = false;
  #hasTold = false;
  #wake: (() => void) | undefined;

  constructor(
    source: SyncedSource,
    around: SyncContext,
    enter: EnterSync,
    completed: (record: SyncRecord) => Promise<void> | void,
  ) {
    this.firstTry = this.#tried.promise;
    this.#source = source;
    this.#around = around;
    this.#enter = enter;
    this.#completed = completed;
    this.#signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  start(triggered: boolean): void {
    this.#triggered = triggered;
    const watch = new SourceWatch(this.#source, this.#around, () => this.trigger());
    this.#running = Promise.all([this.#run(), watch.run(this.#signal)]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  trigger(): void {
    this.#triggered = true;
    this.#isWoken = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#signal.aborted) {
      this.#isWoken = false;
      try {
        const hasRead = await this.#syncWhenFree();
        await this.#sleep(await this.#pause(hasRead));
      } catch (error) {
        if (this.#signal.aborted) break;
        this.#around.logger.warn({ source: this.#source.name, err: error }, 'cannot sync now');
        this.#tried.resolve();
        await this.#sleep(5_000);
      }
    }
    this.#tried.resolve();
  }

  /** Syncs if this process can acquire the lease. Returns whether it held the lease. */
  async #syncWhenFree(): Promise<boolean> {
    const triggered = this.#triggered;
    const place = await this.#enter(this.#signal);
    if (place === undefined) return false;
    try {
      if (!(await this.#around.leases.take(this.#source, triggered))) return false;
      if (triggered) this.#triggered = false;
      const source = { ...this.#source, instance: place.limit(this.#source.instance) };
      const record = await syncSource(source, this.#around, this.#signal);
      await this.#completed(record);
      this.#tried.resolve();
      return true;
    } finally {
      place.leave();
    }
  }

  /** Returns the milliseconds until the next attempt. */
  async #pause(hasRead: boolean): Promise<number> {
    const state = await this.#around.leases.state(this.#source.id);
    if (state === undefined) return MAX_SLEEP_MS;
    if (this.#isSuperseded(state)) return MAX_SLEEP_MS;
    if (state.owner !== undefined) {
      // Another process reads the source, so callers need not wait for this one.
      this.#tried.resolve();
      return state.freeInMs + 50;
    }
    const wait = this.#triggered ? 0 : state.dueInMs + 10;
    // Another process acquired the lease first, so wait at least a short time.
    return hasRead ? wait : Math.max(wait, REFUSED_PAUSE_MS);
  }

  /** Returns whether the source has a newer definition, which this clock may never read. */
  #isSuperseded({ reading }: LeaseState): boolean {
    const mine = this.#source.reading;
    if (mine === undefined || reading === mine) return false;
    this.#triggered = false;
    this.#tried.resolve();
    if (!this.#hasTold)
      this.#around.logger.info(
        { source: this.#source.name },
        'source no longer synced here: the API or a process with another configuration changed its definition',
      );
    this.#hasTold = true;
    return true;
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#signal.aborted || this.#isWoken || (this.#triggered && ms === 0)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(ms, MAX_SLEEP_MS)).unref();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }
}
