import { hash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import type { Store } from '../store/open-store.ts';
import { databaseNow, type EngineName } from '../store/engine.ts';

/** How long a lease is believed after it was last renewed. */
export const LEASE_MS = 15_000;

/** No source is put off for so many of its intervals. */
const MAX_PUT_OFF = 2;

/** Name of this process among all that share the database: host, process id, where that id counts, and a random part. */
export function leaseOwner(): string {
  return `${hostname()}:${process.pid}:${processSpace()}:${randomUUID()}`;
}

/**
 * Among which processes an id names one: those of this start of this machine, and of
 * this container. Machines and containers may have one name, and each of them a process 1.
 */
function processSpace(): string {
  if (process.platform !== 'linux') return 'one';
  const parts = [
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ];
  // Where the system does not say it, nobody is known to be gone.
  return parts.includes(undefined) ? randomUUID() : hash('sha256', parts.join(' '), 'base64url').slice(0, 16);
}

function attempt(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Whether the process that took a lease is known to be gone, so that nobody
 * needs to wait for the lease to run out: it ran on this host and in this container, and
 * there is no such process now, or it had the id this process has.
 */
export function isOwnerGone(owner: string, me: string): boolean {
  const [host, pid, space] = owner.split(':');
  const [myHost, myPid, mySpace] = me.split(':');
  if (owner === me || host !== myHost || space !== mySpace) return false;
  if (pid === myPid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

export interface LeaseState {
  readonly owner: string | undefined;
  /** Milliseconds until somebody else may take it; 0 when it is free. */
  readonly freeInMs: number;
  /** Milliseconds until the source is due; 0 when it is. */
  readonly dueInMs: number;
  /** Mark of the definition that is stored. */
  readonly reading: string;
}

/** Leases of sources, kept in the database and timed by its clock: one process at a time reads a source. */
export class Leases {
  readonly #store: Store;
  readonly #me: string;

  constructor(store: Store, me: string) {
    this.#store = store;
    this.#me = me;
  }

  /**
   * Takes the lease of a source when it is free, and, unless `evenIfNotDue`, the source is
   * due: also where it was put off for longer than anything puts off, since the clock of the database
   * was set back then. Not where the source is read otherwise by now than `reading` says.
   */
  async take(
    {
      id: sourceId,
      reading,
      intervalMs,
    }: { readonly id: number; readonly reading?: string; readonly intervalMs: number },
    evenIfNotDue: boolean,
  ): Promise<boolean> {
    const now = databaseNow(this.#store.engine);
    const state = await this.state(sourceId);
    if (state === undefined) return false;
    const gone = state.owner !== undefined && isOwnerGone(state.owner, this.#me);
    const taken = await this.#store.writing
      .updateTable('sync_status')
      .set((eb) => ({ lease_owner: this.#me, lease_until_ms: eb(now, '+', LEASE_MS) }))
      .where('source_id', '=', sourceId)
      .where((eb) =>
        eb.or([
          eb('lease_owner', 'is', null),
          eb('lease_until_ms', '<=', now),
          ...(gone && state.owner !== undefined ? [eb('lease_owner', '=', state.owner)] : []),
        ]),
      )
      .$if(!evenIfNotDue, (query) =>
        query.where((eb) =>
          eb.or([
            eb('due_at_ms', '<=', now),
            eb('due_at_ms', '>', eb(now, '+', Math.round(MAX_PUT_OFF * intervalMs))),
          ]),
        ),
      )
      .$if(reading !== undefined, (query) =>
        query.where((eb) => isReadAs(eb, this.#store.engine, { id: sourceId, reading })),
      )
      .returning('source_id')
      .execute();
    return taken.length > 0;
  }

  /** Keeps a lease for another while; false when somebody else has it. */
  async renew(sourceId: number): Promise<boolean> {
    const kept = await this.#store.writing
      .updateTable('sync_status')
      .set((eb) => ({ lease_until_ms: eb(databaseNow(this.#store.engine), '+', LEASE_MS) }))
      .where('source_id', '=', sourceId)
      .where('lease_owner', '=', this.#me)
      .returning('source_id')
      .execute();
    return kept.length > 0;
  }

  /**
   * Takes or keeps what allows to watch a source; false when another process has
   * it, or the source is gone or read otherwise by now.
   */
  async takeWatch(source: { readonly id: number; readonly reading?: string }): Promise<boolean> {
    const now = databaseNow(this.#store.engine);
    const before = await this.#store.reading
      .selectFrom('sync_status')
      .select(['watch_owner', 'watch_until_ms', now.as('now')])
      .where('source_id', '=', source.id)
      .executeTakeFirst();
    const owner = before?.watch_owner ?? undefined;
    const isFree = owner === undefined || owner === this.#me || isOwnerGone(owner, this.#me);
    // Whoever looks in vain, as each of the others does again and again, writes nothing and holds no row.
    if (!isFree && before !== undefined && (before.watch_until_ms ?? 0) > before.now) return false;
    const taken = await this.#store.writing
      .updateTable('sync_status')
      .set((eb) => ({ watch_owner: this.#me, watch_until_ms: eb(now, '+', LEASE_MS) }))
      .where('source_id', '=', source.id)
      .where((eb) =>
        eb.or([
          eb('watch_until_ms', '<=', now),
          ...(!isFree
            ? []
            : owner === undefined
              ? [eb('watch_owner', 'is', null)]
              : [eb('watch_owner', '=', owner)]),
        ]),
      )
      .$if(source.reading !== undefined, (query) =>
        query.where((eb) => isReadAs(eb, this.#store.engine, source)),
      )
      .returning('source_id')
      .execute();
    return taken.length > 0;
  }

  /** Keeps it for another while; false when another process has it, or the source is gone or read otherwise by now. */
  async renewWatch(source: { readonly id: number; readonly reading?: string }): Promise<boolean> {
    const kept = await this.#store.writing
      .updateTable('sync_status')
      .set((eb) => ({ watch_until_ms: eb(databaseNow(this.#store.engine), '+', LEASE_MS) }))
      .where('source_id', '=', source.id)
      .where('watch_owner', '=', this.#me)
      .$if(source.reading !== undefined, (query) =>
        query.where((eb) => isReadAs(eb, this.#store.engine, source)),
      )
      .returning('source_id')
      .execute();
    return kept.length > 0;
  }

  /** Lets another process watch the source at once. */
  async dropWatch(sourceId: number): Promise<void> {
    await this.#store.writing
      .updateTable('sync_status')
      .set({ watch_owner: null, watch_until_ms: null })
      .where('source_id', '=', sourceId)
      .where('watch_owner', '=', this.#me)
      .execute();
  }

  /** Who has the lease of a source and when it is due; undefined when there is no such source. */
  async state(sourceId: number): Promise<LeaseState | undefined> {
    const row = await this.#store.reading
      .selectFrom('sync_status')
      .innerJoin('source', 'source.id', 'sync_status.source_id')
      .select(['lease_owner', 'lease_until_ms', 'due_at_ms', 'source.reading'])
      .select(databaseNow(this.#store.engine).as('now'))
      .where('source_id', '=', sourceId)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { now } = row;
    const until = row.lease_owner === null ? 0 : (row.lease_until_ms ?? 0);
    return {
      owner: row.lease_owner ?? undefined,
      freeInMs: Math.max(0, until - now),
      dueInMs: Math.max(0, row.due_at_ms - now),
      reading: row.reading,
    };
  }
}

/**
 * Whether a source is still defined as it was when this mark of it was read. On PostgreSQL its row is held: a statement that
 * has waited for whoever gives the source another definition would see the status that comes with that, beside the definition of before.
 */
function isReadAs(
  eb: ExpressionBuilder<Database, 'sync_status'>,
  engine: EngineName,
  { id, reading = '' }: { readonly id: number; readonly reading?: string | undefined },
) {
  return eb.exists(
    eb
      .selectFrom('source')
      .select('source.id')
      .where('source.id', '=', id)
      .where('source.reading', '=', reading)
      .$if(engine === 'postgres', (query) => query.forShare()),
  );
}
