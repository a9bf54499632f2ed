import { openStore } from '@portolan/registry';
import pg from 'pg';
import { DATABASE_DEFAULTS, silent } from '../../../../packages/registry/test/support/engines.ts';

/** A change of a source's `sync_status`, with its time by the database clock. */
export interface LeaseChange {
  readonly atMs: number;
  readonly source: string;
  readonly phase: string;
  /** `HOST:PID:…`, the name of a process in leases. */
  readonly wasOwner: string | null;
  readonly wasUntilMs: number | null;
  readonly owner: string | null;
  readonly untilMs: number | null;
}

/** A killed process. */
export interface Death {
  /** Prefix of its name in leases. */
  readonly owner: string;
  readonly atMs: number;
}

const TABLES = `
  create schema observed;
  create table observed.lease (
    id bigserial primary key, at_ms bigint not null, source text not null, phase text not null,
    was_owner text, was_until_ms bigint, owner text, until_ms bigint);
  create function observed.note() returns trigger language plpgsql as $$
    begin
      insert into observed.lease (at_ms, source, phase, was_owner, was_until_ms, owner, until_ms)
      select (extract(epoch from clock_timestamp()) * 1000)::bigint, name, new.phase,
        old.lease_owner, old.lease_until_ms, new.lease_owner, new.lease_until_ms
      from source where source.id = new.source_id;
      return null;
    end $$;
  create trigger note after update on sync_status for each row execute function observed.note();`;

/** Every change of every lease in a database. A trigger writes it, so that no process can omit one. */
export class LeaseHistory {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Makes the tables of the program in an empty PostgreSQL database, and adds the triggers. */
  static async begin(url: string): Promise<LeaseHistory> {
    const store = await openStore(
      { ...DATABASE_DEFAULTS, url },
      { directory: '/', environment: {}, logger: silent, connMaxLifetimeMs: 60_000 },
    );
    try {
      await store.migrations.up();
    } finally {
      await store.close();
    }
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const history = new LeaseHistory(client);
    await client.query(TABLES);
    return history;
  }

  async nowMs(): Promise<number> {
    const { rows } = await this.#client.query<{ now: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
    );
    return Number(rows[0]?.now);
  }

  async read(): Promise<readonly LeaseChange[]> {
    const { rows } = await this.#client.query<Record<string, string | null>>(
      'select * from observed.lease order by id',
    );
    const number = (value: string | null | undefined): number | null =>
      value == null ? null : Number(value);
    return rows.map((row) => ({
      atMs: Number(row['at_ms']),
      source: row['source'] ?? '',
      phase: row['phase'] ?? '',
      wasOwner: row['was_owner'] ?? null,
      wasUntilMs: number(row['was_until_ms']),
      owner: row['owner'] ?? null,
      untilMs: number(row['until_ms']),
    }));
  }

  /** Returns the current holder of each lease, by source. */
  async holders(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#client.query<{ name: string; lease_owner: string }>(
      `select name, lease_owner from sync_status join source on source.id = source_id where lease_owner is not null`,
    );
    return new Map(rows.map(({ name, lease_owner }) => [name, lease_owner]));
  }

  /** Returns sources with a running sync in their row but without a valid lease for this time. */
  async stuck(forMs: number): Promise<readonly string[]> {
    const { rows } = await this.#client.query<{ name: string }>(
      `select name from sync_status join source on source.id = source_id
       where (phase = 'syncing' or lease_owner is not null)
         and coalesce(lease_until_ms, 0) + $1::bigint < (extract(epoch from clock_timestamp()) * 1000)::bigint`,
      [forMs],
    );
    return rows.map(({ name }) => name);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}

/** Returns changes in which a process got a lease while a live process still had it. Expected to be empty. */
export function overlapsIn(
  history: readonly LeaseChange[],
  deaths: readonly Death[],
): readonly LeaseChange[] {
  return history.filter(({ wasOwner, wasUntilMs, owner, atMs }) => {
    if (wasOwner === null || owner === null || wasOwner === owner) return false;
    const isDead = deaths.some((death) => wasOwner.startsWith(death.owner) && death.atMs <= atMs);
    return !isDead && (wasUntilMs ?? 0) > atMs;
  });
}

/**
 * Returns the leases of a killed process, with the time from its end until another process got each of them.
 * Infinity means never.
 */
export function takeOversIn(
  history: readonly LeaseChange[],
  deaths: readonly Death[],
): readonly { readonly source: string; readonly afterMs: number }[] {
  return deaths.flatMap(({ owner, atMs }) =>
    [...Map.groupBy(history, ({ source }) => source)].flatMap(([source, changes]) => {
      const held = changes.findLast((change) => change.atMs <= atMs)?.owner;
      if (held?.startsWith(owner) !== true) return [];
      const next = changes.find((change) => change.atMs > atMs && change.owner !== held);
      return [{ source, afterMs: (next?.atMs ?? Number.POSITIVE_INFINITY) - atMs }];
    }),
  );
}

/** Returns the times of successful syncs of a source. */
export function successesIn(history: readonly LeaseChange[], source: string): readonly number[] {
  return history.flatMap((change) =>
    change.source === source &&
    change.wasOwner !== null &&
    change.owner === null &&
    change.phase === 'complete'
      ? [change.atMs]
      : [],
  );
}

/** Returns the longest time without a success between two moments. */
export function longestGap(successes: readonly number[], fromMs: number, toMs: number): number {
  const moments = [fromMs, ...successes.filter((at) => at > fromMs && at < toMs), toMs];
  return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at)));
}
