import type { ChangeItem, ReadItem, Source } from '@portolan/plugin-api';
import type { Store } from '@portolan/registry';
import { expect } from 'chai';
import { sql } from 'kysely';
import { adminWrite } from '../src/store/admin-write.ts';
import { databaseNow } from '../src/store/engine.ts';
import { Leases } from '../src/sync/schedule/lease.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import type { SyncedSource, SyncContext } from '../src/sync/synced-source.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server } from './support/settable-source.ts';

const HOUR = 3_600_000;

/** Tells one change for each read, and notes from where it was read. Read by all replicas. */
class CountedSource implements Source {
  readonly reads: string[] = [];
  /** Cleared before it is waited for: the next read passes. */
  held: Promise<void> | undefined;
  running = 0;
  maxRunning = 0;

  async *readEntries(): AsyncGenerator<ReadItem> {
    yield* this.#told('0', 'in full');
  }

  async *readChanges(since: string): AsyncGenerator<ChangeItem> {
    yield* this.#told(String(Number(since) + 1), since);
  }

  async *#told(cursor: string, read: string): AsyncGenerator<ReadItem> {
    this.reads.push(read);
    this.running += 1;
    this.maxRunning = Math.max(this.maxRunning, this.running);
    try {
      const held = this.held;
      this.held = undefined;
      await held;
      yield server(`acme/told-${cursor}`);
      yield { cursor };
    } finally {
      this.running -= 1;
    }
  }
}

forEachEngine((engine) => {
  if (engine.name === 'SQLite in memory') return;
  describe('a source that reports changes, with two replicas', () => {
    let database: TestDatabase;
    let stores: readonly Store[];
    let instance: CountedSource;
    let source: SyncedSource;
    let replicas: readonly SyncContext[];

    beforeEach(async () => {
      database = await engine.make();
      stores = [await openTestStore(database.config), await openTestStore(database.config)];
      const [store] = stores;
      if (store === undefined) throw new TypeError('no store');
      instance = new CountedSource();
      const id = (await define(store, [{ name: 'told', claims: { team: 'a' } }], [])).get('told') ?? 0;
      source = { id, name: 'told', instance, claimsFrom: 'source', filter: undefined, intervalMs: HOUR };
      replicas = stores.map((one, at) => {
        const owner = `machine-${at}:1:here:x`; // of this machine, one would take the other for its own earlier life
        const leases = new Leases(one, owner);
        return { store: one, owner, leases, logger: silent, clock: () => new Date(), maxMetaSize: 1000 };
      });
    });

    afterEach(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database.drop();
    });

    const sync = (around: SyncContext) => syncSource(source, around, new AbortController().signal);
    const [first, second] = [() => replicas[0]!, () => replicas[1]!];
    const stored = async () => {
      const { reading } = first().store;
      const versions = await reading.selectFrom('entry_version').select('name').orderBy('id').execute();
      const status = await reading.selectFrom('sync_status').selectAll().executeTakeFirstOrThrow();
      return { names: versions.map(({ name }) => name), status };
    };

    it('is synced only by the holder of the lease, from the cursor of the other one', async () => {
      const turns = { taken: 0 };
      await Promise.all(
        replicas.map(async (around) => {
          while (turns.taken < 20) {
            if (!(await around.leases.take(source, true))) continue;
            turns.taken += 1;
            expect(await sync(around)).to.include({ outcome: 'changed', error: undefined });
          }
        }),
      );
      expect(instance.maxRunning).to.equal(1);
      const cursors = Array.from({ length: turns.taken }, (_, at) => String(at));
      expect(instance.reads).to.deep.equal(['in full', ...cursors.slice(0, -1)]);
      const { names, status } = await stored();
      expect(names).to.have.members(cursors.map((cursor) => `acme/told-${cursor}`));
      expect(status.cursor).to.equal(cursors.at(-1));
    });

    it('is due when its due time is too far in the future because the database clock moved back', async () => {
      const { writing } = first().store;
      const putOff = (ms: number) =>
        writing
          .updateTable('sync_status')
          .set({ due_at_ms: sql<number>`${databaseNow(first().store.engine)} + ${sql.lit(ms)}` })
          .execute();
      await putOff(HOUR);
      expect(await first().leases.take(source, false), 'by an interval').to.equal(false);
      await putOff(24 * HOUR);
      expect(await first().leases.take(source, false), 'by a day').to.equal(true);
    });

    it('is not written by a replica that lost the lease during the sync', async () => {
      expect(await first().leases.take(source, true)).to.equal(true);
      await sync(first());
      const gate = Promise.withResolvers<void>();
      instance.held = gate.promise;
      expect(await first().leases.take(source, true)).to.equal(true);
      const slow = sync(first());
      while (instance.running === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(await second().leases.take(source, true), 'a lease that is held').to.equal(false);
      // As when the first process was stopped for longer than a lease lasts.
      await second().store.writing.updateTable('sync_status').set({ lease_until_ms: 1 }).execute();
      expect(await second().leases.take(source, true), 'a lease that has run out').to.equal(true);
      expect(await sync(second())).to.include({ outcome: 'changed' });
      const before = await stored();
      expect(before.status.cursor).to.equal('1');
      gate.resolve();
      expect(await slow).to.include({ outcome: 'failed' });
      expect(await stored()).to.deep.equal(before);
      expect(instance.reads).to.deep.equal(['in full', '0', '0']);
    });

    if (engine.name === 'PostgreSQL')
      it('is freed from a replica that stops during the write: PostgreSQL closes a transaction idle for 30 s', async () => {
        const { writing } = first().store;
        await sql`create table noted (what text, idle text)`.execute(writing);
        await sql`create function note() returns trigger language plpgsql as $$ begin
        insert into noted values (tg_table_name, current_setting('idle_in_transaction_session_timeout'));
        return null; end $$`.execute(writing);
        for (const table of ['entry_version', 'source'])
          await sql`create trigger note after insert or update on ${sql.table(table)}
          for each row execute function note()`.execute(writing);
        expect(await first().leases.take(source, true)).to.equal(true);
        expect(await sync(first())).to.include({ outcome: 'changed' });
        await adminWrite(first().store, async (db) => {
          await db.updateTable('source').set({ revision: 'x' }).execute();
        });
        const { rows } = await sql`select distinct what, idle from noted order by what`.execute(writing);
        expect(rows).to.deep.equal([
          { what: 'entry_version', idle: '30s' },
          { what: 'source', idle: '30s' },
        ]);
        const after = await sql<{
          idle: string;
        }>`select current_setting('idle_in_transaction_session_timeout') as idle`.execute(writing);
        expect(after.rows[0]?.idle, 'on the same connection, later').to.equal('0');
      });

    it('is not written by a replica that lost the lease while another one syncs', async () => {
      expect(await first().leases.take(source, true)).to.equal(true);
      await sync(first());
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const syncs: ReturnType<typeof sync>[] = [];
      for (const [at, around] of replicas.entries()) {
        await around.store.writing.updateTable('sync_status').set({ lease_until_ms: 1 }).execute();
        expect(await around.leases.take(source, true)).to.equal(true);
        instance.held = gates[at]?.promise;
        syncs.push(sync(around));
        while (instance.running === at) await new Promise((resolve) => setImmediate(resolve));
      }
      gates[0]?.resolve();
      expect(await syncs[0]).to.include({ outcome: 'failed' });
      expect((await stored()).names).to.deep.equal(['acme/told-0']);
      gates[1]?.resolve();
      expect(await syncs[1]).to.include({ outcome: 'changed' });
      const { names, status } = await stored();
      expect([names, status.cursor]).to.deep.equal([['acme/told-0', 'acme/told-1'], '1']);
    });
  });
});
