import type { ReadItem, Source } from '@portolan/plugin-api';
import type { Store } from '@portolan/registry';
import { expect } from 'chai';
import { sql } from 'kysely';
import { lockSources, SOURCE_COLUMNS, updateSource } from '../src/store/source-rows.ts';
import { Leases } from '../src/sync/schedule/lease.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server } from './support/settable-source.ts';
import { until } from './support/until.ts';

const ME = 'machine:1:here:x';
const HOUR = 3_600_000;

forEachEngine((engine) => {
  describe('a process with an outdated definition of a source', () => {
    let database: TestDatabase;
    let store: Store;
    let leases: Leases;
    let known: { readonly id: number; readonly reading: string; readonly intervalMs: number };

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      leases = new Leases(store, ME);
      const id = (await define(store, [{ name: 'told', claims: { team: 'a' } }], [])).get('told') ?? 0;
      const { reading } = await definition(id);
      known = { id, reading, intervalMs: HOUR };
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    const definition = (id: number) =>
      store.reading
        .selectFrom('source')
        .select(SOURCE_COLUMNS)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();

    /** Gives the source another definition, and does something before that is committed. */
    const redefine = async (meanwhile: () => Promise<void>): Promise<void> => {
      const before = await definition(known.id);
      const { kind, creation_type, filter, interval_ms, allow_shrink, claims_from, claim_set_id } = before;
      const columns = {
        kind,
        creation_type,
        filter,
        interval_ms,
        allow_shrink,
        claims_from,
        claim_set_id,
        block: '{"new":1}',
      };
      await store.writing.transaction().execute(async (db) => {
        await lockSources(db, store.engine, [known.id]);
        await updateSource(db, before, columns, new Date().toISOString());
        await meanwhile();
      });
    };

    const isWaiting = async (): Promise<boolean> => {
      const { rows } = await sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        store.reading,
      );
      return rows.length > 0;
    };

    const watching = () => store.writing.updateTable('sync_status').set({ watch_owner: ME }).execute();
    const attempts: readonly {
      readonly title: string;
      readonly before?: () => Promise<unknown>;
      readonly take: () => Promise<boolean>;
    }[] = [
      { title: 'gets no lease to read it', take: () => leases.take(known, true) },
      { title: 'gets no lease to watch it', take: () => leases.takeWatch(known) },
      { title: 'keeps no lease to watch it', before: watching, take: () => leases.renewWatch(known) },
    ];
    for (const { title, before, take } of attempts) {
      it(`${title} after a change of the definition`, async () => {
        await before?.();
        await redefine(() => Promise.resolve());
        expect(await take()).to.equal(false);
      });

      if (engine.name !== 'PostgreSQL') continue;
      it(`${title} while the changed definition is being stored`, async () => {
        await before?.();
        const asked: Promise<boolean>[] = [];
        await redefine(async () => {
          asked.push(take());
          await until('it to wait', isWaiting);
        });
        expect(await Promise.all(asked)).to.deep.equal([false]);
      });
    }

    it('stores nothing, although it has the lease', async () => {
      const read: Source = {
        async *readEntries(): AsyncGenerator<ReadItem> {
          await store.writing.updateTable('source').set({ reading: 'another' }).execute();
          yield server('acme/old');
          yield { cursor: 'end' };
        },
      };
      expect(await leases.take(known, true)).to.equal(true);
      const around = { store, owner: ME, leases, logger: silent, clock: () => new Date(), maxMetaSize: 1000 };
      const source = {
        ...known,
        name: 'told',
        instance: read,
        claimsFrom: 'source',
        filter: undefined,
      } as const;
      const { outcome } = await syncSource(source, around, new AbortController().signal);
      expect(outcome).to.equal('failed');
      expect(await store.reading.selectFrom('entry').select('name').execute()).to.deep.equal([]);
    });
  });
});
