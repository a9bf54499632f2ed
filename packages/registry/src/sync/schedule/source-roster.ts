import type { SourceInstance } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import type { SourceDefinition } from '../../admin/admin-definitions.ts';
import { definitionOf } from '../../admin/stored-source.ts';
import type { Database } from '../../store/database-schema.ts';
import { databaseNow } from '../../store/engine.ts';
import type { Store } from '../../store/open-store.ts';
import { SOURCE_COLUMNS } from '../../store/source-rows.ts';
import { abortableDelay } from './abortable-delay.ts';
import { RosterSeat, type ScheduledSource } from './roster-seat.ts';
import { statusMessageOf } from './status-message.ts';
import type { SyncScheduler } from './sync-scheduler.ts';

export interface SourceRosterOptions {
  readonly store: Store;
  readonly scheduler: SyncScheduler;
  /** Creates an instance of a source. Throws when this server cannot use the definition. */
  readonly create: (definition: SourceDefinition, name: string) => Promise<SourceInstance>;
  readonly logger: Logger;
  /** Clock for times in the status of a source. */
  readonly clock?: () => Date;
  /** Milliseconds between checks for changes. Default: 2 s. */
  readonly pollMs?: number;
  /** Milliseconds before a failed creation is retried. Default: 30 s. */
  readonly retryMs?: number;
}

export interface SourceRoster {
  /** Checks after a write of this process. Resolves when the instances match. Never throws. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

const POLL_MS = 2000;
const RETRY_MS = 30_000;

/**
 * Keeps the scheduler's sources equal to those created through the API, on any replica. It polls the number
 * of the last change. Sources that exist at the start are read at once, later ones when due; a new one is due
 * at once, so that exactly one replica reads it.
 */
export function startSourceRoster(options: SourceRosterOptions): SourceRoster {
  const roster = new Roster(options);
  roster.start();
  return roster;
}

class Roster implements SourceRoster {
  readonly #options: SourceRosterOptions;
  readonly #seats = new Map<string, RosterSeat>();
  readonly #stopping = new AbortController();
  readonly #retryMs: number;
  #polling: Promise<void> = Promise.resolve();
  #reading: Promise<void> = Promise.resolve();
  #knownEpoch: number | undefined;
  #isFirst = true;
  #isUnreachable = false;

  constructor(options: SourceRosterOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? RETRY_MS;
  }

  start(): void {
    this.#polling = this.#poll();
  }

  refresh(): Promise<void> {
    return this.#look('in any case');
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
    await this.#reading;
    await Promise.all([...this.#seats.values()].map((seat) => seat.want(undefined, 'when due')));
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Not awaited: one source that closes slowly must not delay the others.
      void (await this.#read('if changed'));
      await abortableDelay(this.#options.pollMs ?? POLL_MS, signal);
    }
  }

  async #look(when: 'in any case' | 'if changed'): Promise<void> {
    await Promise.all(await this.#read(when));
  }

  /**
   * Reads the wanted sources and applies them in the order of the reads, so that an older state never follows
   * a newer one. Returns the changes in progress.
   */
  #read(when: 'in any case' | 'if changed'): Promise<readonly Promise<void>[]> {
    const read = this.#reading.then(() => this.#readNow(when));
    this.#reading = read.then(() => undefined);
    return read;
  }

  async #readNow(when: 'in any case' | 'if changed'): Promise<readonly Promise<void>[]> {
    if (this.#stopping.signal.aborted) return [];
    const { store, logger } = this.#options;
    try {
      const epoch = await readEpoch(store);
      const isRetryDue = [...this.#seats.values()].some((seat) => seat.isRetryDue);
      if (when === 'if changed' && epoch === this.#knownEpoch && !isRetryDue) return [];
      const sources = await selectScheduled(store.reading);
      this.#knownEpoch = epoch;
      this.#isUnreachable = false;
      return this.#distribute(sources);
    } catch (error) {
      if (!this.#isUnreachable) logger.warn({ err: error }, 'cannot query the sources of the API');
      this.#isUnreachable = true;
      return [];
    }
  }

  #distribute(sources: readonly ScheduledSource[]): readonly Promise<void>[] {
    const first = this.#isFirst ? 'at once' : 'when due';
    this.#isFirst = false;
    const byName = new Map(sources.map((source) => [source.name, source]));
    for (const name of byName.keys()) if (!this.#seats.has(name)) this.#seats.set(name, this.#seatOf(name));
    for (const [name, seat] of this.#seats) {
      if (!byName.has(name) && seat.isEmpty) this.#seats.delete(name);
    }
    return [...this.#seats].map(([name, seat]) => seat.want(byName.get(name), first));
  }

  #seatOf(name: string): RosterSeat {
    const { scheduler, logger, create } = this.#options;
    return new RosterSeat(name, {
      scheduler,
      logger,
      create,
      retryMs: this.#retryMs,
      recordFailure: (source, error) => this.#recordFailure(source, error),
    });
  }

  async #recordFailure(source: ScheduledSource, error: unknown): Promise<void> {
    const { store, logger, clock = () => new Date() } = this.#options;
    const message = statusMessageOf(error, 'The source cannot be created; the log says why.');
    try {
      await store.writing
        .updateTable('sync_status')
        .set((eb) => ({
          phase: 'failed',
          message,
          attempt_count: eb('attempt_count', '+', 1),
          last_sync_time: clock().toISOString(),
        }))
        .where('source_id', '=', source.id)
        // A replica that currently reads the source reports its own, more recent status.
        .where('lease_owner', 'is', null)
        .where('due_at_ms', '<=', databaseNow(store.engine))
        .execute();
    } catch (second) {
      logger.warn({ source: source.name, err: second }, 'cannot record the failure');
    }
  }
}

async function readEpoch(store: Store): Promise<number> {
  if (store.readEpoch !== undefined) return store.readEpoch();
  const { epoch } = await store.reading
    .selectFrom('change')
    .select('epoch')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  return epoch;
}

/** Selects the sources from the API that need to be read. Managed sources do not. */
async function selectScheduled(db: Kysely<Database>): Promise<readonly ScheduledSource[]> {
  const rows = await db
    .selectFrom('source')
    .innerJoin('claim_set', 'claim_set.id', 'source.claim_set_id')
    .select([...SOURCE_COLUMNS, 'claim_set.canonical'])
    .where('source.creation_type', '=', 'API')
    .where('source.claims_from', '<>', 'publisher')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    reading: row.reading,
    definition: definitionOf(row),
  }));
}
