import type { ReadItem, Source } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import pg from 'pg';
import { leaseOwner, Leases } from '../src/sync/schedule/lease.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import { openTestStore, postgres, POSTGRES_URL, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { skipSuite } from '../../../test/support/skip-suite.ts';
import { server } from './support/settable-source.ts';

const COUNT = 3000;
/** Five for each; through all of them for each hundred it was fifty, and more the more there are. */
const MOST = 8 * COUNT;
const TABLES = ['entry', 'entry_version', 'server_remote'];

class Many implements Source {
  async *readEntries(): AsyncGenerator<ReadItem> {
    for (let at = 0; at < COUNT; at += 1) yield server(`acme/s${at}`);
  }
}

interface Looked {
  readonly made: string;
  readonly looked: string;
}

/* PostgreSQL plans for what it has counted, and of a source that is new it has counted nothing. */
describe('rows that PostgreSQL reads in a first sync', function () {
  this.timeout(120_000);
  let database: TestDatabase;

  before(async function () {
    if (POSTGRES_URL === undefined) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    database = await postgres();
  });
  after(async () => {
    await database?.drop();
  });

  const sync = async (names: readonly string[], name: string): Promise<void> => {
    const store = await openTestStore(database.config);
    try {
      const ids = await define(
        store,
        names.map((each) => ({ name: each })),
        [],
      );
      const owner = leaseOwner();
      const leases = new Leases(store, owner);
      const source = {
        id: ids.get(name) ?? 0,
        name,
        instance: new Many(),
        claimsFrom: 'source' as const,
        filter: undefined,
        intervalMs: 3_600_000,
      };
      expect(await leases.take(source, true), 'the lease').to.equal(true);
      const around = { store, owner, leases, logger: silent, clock: () => new Date(), maxMetaSize: 1000 };
      const { outcome } = await syncSource(source, around, new AbortController().signal);
      expect(outcome).to.equal('changed');
    } finally {
      await store.close();
    }
  };

  /** Counted for all connections that have ended, and so waited for. */
  const looked = async (least: number): Promise<number> => {
    const client = new pg.Client({ connectionString: database.config.url });
    await client.connect();
    try {
      return await eventually(async () => {
        const { rows } = await client.query<Looked>(
          `select sum(n_tup_ins) as made, sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as looked
           from pg_stat_user_tables where relname = any($1)`,
          [TABLES],
        );
        expect(Number(rows[0]?.made)).to.be.at.least(least);
        return Number(rows[0]?.looked);
      });
    } finally {
      await client.end();
    }
  };

  it('are a few for each written row, in an empty database and with another source', async () => {
    await sync(['one'], 'one');
    const first = await looked(2 * COUNT);
    expect(first, 'rows looked at').to.be.at.most(MOST);
    await sync(['one', 'two'], 'two');
    expect((await looked(4 * COUNT)) - first, 'rows looked at for the second').to.be.at.most(MOST);
  });
});
