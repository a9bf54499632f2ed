import { openStore } from '@portolan/registry';
import pg from 'pg';
import { DATABASE_DEFAULTS, silent } from '../../../../packages/registry/test/support/engines.ts';

/** How `sync_status` of a source changed, and when, by the clock of the database. */
export interface LeaseChange {
  readonly atMs: number;
  readonly source: string;
  readonly phase: string;
  /** `HOST:PID:…`, as processes call themselves. */
  readonly wasOwner: string | null;
  readonly wasUntilMs: number | null;
  readonly owner: string | null;
  readonly untilMs: number | null;
}

/** A process that was killed. */
export interface Death {
  /** How its name in leases begins. */
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

/** Every change of every lease in a database, written by a trigger: no process can leave one out. */
export class LeaseHistory {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Makes the tables of the program in an empty database of PostgreSQL, and watches them. */
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

  /** Who has a lease now, by source. */
  async holders(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#client.query<{ name: string; lease_owner: string }>(
      `select name, lease_owner from sync_status join source on source.id = source_id where lease_owner is not null`,
    );
    return new Map(rows.map(({ name, lease_owner }) => [name, lease_owner]));
  }

  /** Sources whose row says that they are read, though nobody has been entitled to for so long. */
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

/** Changes in which one process got a lease while another one that lived had it still: there are none. */
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

/** What a killed process had a lease of, and how long after its end another one had it; Infinity: nobody. */
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

/** When syncs of a source went well. */
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

/** The longest time without a success between two moments. */
export function longestGap(successes: readonly number[], fromMs: number, toMs: number): number {
  const moments = [fromMs, ...successes.filter((at) => at > fromMs && at < toMs), toMs];
  return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at)));
}
