import { hash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import type { Store } from '../../store/open-store.ts';
import { databaseNow, type EngineName } from '../../store/engine.ts';

/** Lifetime of a lease after its last renewal, in milliseconds. */
export const LEASE_MS = 15_000;

/** Maximum delay of a source's next sync, in multiples of its interval. */
const MAX_PUT_OFF = 2;

/** Creates an identifier of this process that is unique among all processes that share the database. */
export function leaseOwner(): string {
  return `${hostname()}:${process.pid}:${processSpace()}:${randomUUID()}`;
}

/**
 * Identifies the machine since its start, and the container. Host names may be shared, and every container
 * has a process 1.
 */
function processSpace(): string {
  if (process.platform !== 'linux') return 'one';
  const parts = [
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ];
  // When the system does not provide the information, a random value prevents any process from being taken
  // for ended.
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
 * Returns whether the owner of a lease has ended, so that its lease need not expire first. True when the
 * owner ran on this host and in this container, and no such process exists now or this process has its id.
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
  /** Milliseconds until the lease is free; 0 when it is free. */
  readonly freeInMs: number;
  /** Milliseconds until the source is due; 0 when it is due. */
  readonly dueInMs: number;
  readonly reading: string;
}

/** Leases on sources: only one process at a time reads a source. All times are from the database's clock. */
export class Leases {
  readonly #store: Store;
  readonly #me: string;

  constructor(store: Store, me: string) {
    this.#store = store;
    this.#me = me;
  }

  /**
   * Acquires the lease on a source. Fails unless the lease is free, the definition is still `reading`, and
   * the source is due or `evenIfNotDue` is set. A due time that is impossibly late counts as due, because the
   * database's clock must have been set back.
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

  /** Renews a lease. Returns false when another process holds it. */
  async renew(sourceId: number): Promise<boolean> {
    const remaining = await this.#store.writing
      .updateTable('sync_status')
      .set((eb) => ({ lease_until_ms: eb(databaseNow(this.#store.engine), '+', LEASE_MS) }))
      .where('source_id', '=', sourceId)
      .where('lease_owner', '=', this.#me)
      .returning('source_id')
      .execute();
    return remaining.length > 0;
  }

  /**
   * Acquires or renews the lease for watching. Returns false when another process holds it, or the source is
   * gone or changed.
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
    // Checks first without a write: failed attempts, which all processes repeat, must not write or lock rows.
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

  /**
   * Renews the lease for watching. Returns false when another process holds it, or the source is gone or
   * changed.
   */
  async renewWatch(source: { readonly id: number; readonly reading?: string }): Promise<boolean> {
    const remaining = await this.#store.writing
      .updateTable('sync_status')
      .set((eb) => ({ watch_until_ms: eb(databaseNow(this.#store.engine), '+', LEASE_MS) }))
      .where('source_id', '=', source.id)
      .where('watch_owner', '=', this.#me)
      .$if(source.reading !== undefined, (query) =>
        query.where((eb) => isReadAs(eb, this.#store.engine, source)),
      )
      .returning('source_id')
      .execute();
    return remaining.length > 0;
  }

  /** Releases the lease for watching, so that another process can acquire it at once. */
  async dropWatch(sourceId: number): Promise<void> {
    await this.#store.writing
      .updateTable('sync_status')
      .set({ watch_owner: null, watch_until_ms: null })
      .where('source_id', '=', sourceId)
      .where('watch_owner', '=', this.#me)
      .execute();
  }

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
 * Returns the condition that a source still has the given definition. On PostgreSQL, it locks the row: a
 * statement that waited for a change of the definition would otherwise see the new status with the old
 * definition.
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
