import { type Logger, Semaphore, type SyncRecord, type Tracer } from '@portolan/plugin-api';
import type { DocumentRules } from '../../preparation/prepare-version.ts';
import type { Store } from '../../store/open-store.ts';
import { Leases, leaseOwner } from './lease.ts';
import { type ScratchLocation, LOCK, scratchNameOf, scratchRootOf } from '../scratch/scratch-locations.ts';
import { FairSlot } from './fair-slot.ts';
import { type EnterSync, SourceClock } from './source-clock.ts';
import type { SyncedSource, SyncContext } from '../synced-source.ts';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeScratchLock } from '../scratch/scratch-lock.ts';

export interface SchedulerOptions extends DocumentRules {
  readonly store: Store;
  readonly sources: readonly SyncedSource[];
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Called after every sync, for the hook `syncCompleted` and for metrics. */
  readonly completed: (record: SyncRecord) => Promise<void> | void;
  /** Where sources store downloads for later reads. Undefined on a server without scratch folders. */
  readonly scratch?: ScratchLocation | undefined;
  readonly tracer?: Tracer | undefined;
  readonly atOnce?: number;
  /** Milliseconds for which an unresponsive source occupies a slot. */
  readonly patienceMs?: number;
}

export interface SyncScheduler {
  /** Resolves when every initial source was tried once. */
  readonly firstPass: Promise<void>;
  /** Syncs a source as soon as possible, regardless of its interval. */
  trigger(source: string): void;
  /** Adds a source. Its name must be free. */
  add(source: SyncedSource, first?: 'at once' | 'when due'): void;
  /** Removes a source. When the promise resolves, nothing of the source runs any more. */
  remove(source: string): Promise<void>;
  /** Stops all syncs. When the promise resolves, none runs any more. */
  stop(): Promise<void>;
}

const AT_ONCE = 4;
const PATIENCE_MS = 5000;

/**
 * Starts the syncs of all sources. The first sync of a source runs at once. Later ones run when the source
 * reports a change or is due by the database, so that replicas share the work.
 */
export function startSyncScheduler(options: SchedulerOptions): SyncScheduler {
  return new Clocks(options);
}

class Clocks implements SyncScheduler {
  readonly firstPass: Promise<void>;
  readonly #clocks = new Map<string, SourceClock>();
  readonly #around: SyncContext;
  readonly #enter: EnterSync;
  readonly #completed: SchedulerOptions['completed'];
  #sweeping: Promise<void>;
  #isStopped = false;

  constructor(options: SchedulerOptions) {
    const owner = leaseOwner();
    const { store, logger, clock, maxMetaSize, transports, scratch, tracer } = options;
    const leases = new Leases(store, owner);
    this.#around = { store, logger, clock, maxMetaSize, transports, leases, owner, scratch, tracer };
    this.#sweeping = sweepScratch(this.#around);
    const places = new Semaphore(options.atOnce ?? AT_ONCE);
    this.#enter = (signal) => FairSlot.enter(places, options.patienceMs ?? PATIENCE_MS, signal);
    this.#completed = options.completed;
    for (const source of options.sources) this.add(source);
    this.firstPass = Promise.all([...this.#clocks.values()].map((one) => one.firstTry)).then(() => undefined);
  }

  trigger(name: string): void {
    this.#clocks.get(name)?.trigger();
  }

  add(source: SyncedSource, first: 'at once' | 'when due' = 'at once'): void {
    if (this.#isStopped) return;
    if (this.#clocks.has(source.name)) throw new TypeError(`source "${source.name}" is already scheduled`);
    const clock = new SourceClock(source, this.#around, this.#enter, this.#completed);
    this.#clocks.set(source.name, clock);
    clock.start(first === 'at once');
  }

  async remove(name: string): Promise<void> {
    const clock = this.#clocks.get(name);
    await clock?.stop();
    // Not earlier: a name is free only when nothing of its old source runs any more.
    if (clock !== undefined && this.#clocks.get(name) === clock) this.#clocks.delete(name);
    if (!this.#isStopped) await (this.#sweeping = this.#sweeping.then(() => sweepScratch(this.#around)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#clocks.values()].map((clock) => clock.stop()));
    await this.#sweeping;
  }
}

/** Removes folders of deleted sources. A folder that is in use stays until the next call. Never throws. */
export async function sweepScratch({
  store,
  scratch,
  logger,
}: Pick<SyncContext, 'store' | 'scratch' | 'logger'>): Promise<void> {
  if (scratch === undefined) return;
  try {
    const root = await scratchRootOf(store, scratch.directory);
    const match = await readdir(root).catch(() => []); // no source has used one yet
    if (match.length === 0) return;
    const sources = await store.reading.selectFrom('source').select('id').execute();
    const requested = new Set(sources.map(({ id }) => scratchNameOf(id)));
    for (const name of match) if (!requested.has(name)) await remove(join(root, name));
  } catch (error) {
    logger.warn({ err: error }, 'cannot remove folders of deleted sources');
  }
}

async function remove(folder: string): Promise<void> {
  const unlock = await takeScratchLock(join(folder, LOCK));
  if (unlock === undefined) return;
  try {
    await rm(folder, { recursive: true, force: true });
  } finally {
    unlock();
  }
}
