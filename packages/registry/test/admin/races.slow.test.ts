import { expect } from 'chai';
import type { ResourceClaims } from '@portolan/plugin-api';
import { type RegistryAdmin, startSyncScheduler, type Store, type SyncScheduler } from '@portolan/registry';
import { sql } from 'kysely';
import { adminWrite } from '../../src/store/admin-write.ts';
import { describeAdmin } from '../support/admin-suite.ts';
import { codeOf, gitSource, managedSource, serverOf, superAdmin } from '../support/actors.ts';
import { silent } from '../support/engines.ts';
import { define } from '../support/fill.ts';
import { server, SettableSource } from '../support/settable-source.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;

describeAdmin('RegistryAdmin: at the same time', (bench) => {
  let other: Store;
  let admins: readonly RegistryAdmin[];

  beforeEach(async () => {
    other = await bench.other();
    admins = [bench.admin, bench.adminOf(other)];
  });

  const adminAt = (at: number): RegistryAdmin => admins[at % 2] ?? bench.admin;
  const publish = (at: number, version: string, claims?: ResourceClaims) =>
    adminAt(at).publish(superAdmin, { ...serverOf('acme/race', version), claims });

  describe('concurrent publishers', () => {
    beforeEach(async () => {
      await bench.admin.putSource(superAdmin, 'mine', managedSource());
      await bench.admin.putRegistry(superAdmin, 'main', { sources: ['mine'], claims: {} });
    });

    it('of one version on two replicas › exactly one wins', async () => {
      const codes = await Promise.all(
        Array.from({ length: 10 }, (_, at) => codeOf(publish(at, '1.0.0', { by: String(at) }))),
      );
      expect(codes.toSorted()).to.deep.equal([...Array<string>(9).fill('ERR_VERSION_EXISTS'), 'none']);
      const rows = await bench.rows();
      expect(rows.map((row) => row.claims)).to.deep.equal([{ by: String(codes.indexOf('none')) }]);
    });

    it('of many versions › all versions are stored, one is the latest, and the counts are right', async () => {
      await Promise.all(Array.from({ length: 10 }, (_, at) => publish(at, `1.${at}.0`)));
      const rows = await bench.rows();
      expect(rows).to.have.lengthOf(10);
      expect(rows.filter((row) => row.isLatest).map((row) => row.version)).to.deep.equal(['1.9.0']);
      const [counts] = await bench.store.reading.selectFrom('sync_status').selectAll().execute();
      expect(counts).to.include({ version_count: 10, server_count: 1 });
    });

    it('and a change of claims › all versions have the same claims', async () => {
      await publish(0, '1.0.0', { round: 'first' });
      const entry = { type: 'server', name: 'acme/race' } as const;
      for (let round = 1; round <= 5; round += 1) {
        await Promise.all([
          publish(0, `1.${round}.0`),
          adminAt(1).setEntryClaims(superAdmin, entry, { round: String(round) }),
          publish(1, `2.${round}.0`, { round: 'published' }),
          publish(0, `3.${round}.0`),
        ]);
        const { claims } = await bench.admin.getEntryClaims(superAdmin, entry);
        for (const row of await bench.rows()) expect(row.claims).to.deep.equal(claims);
      }
    });

    it('and the deletion of their entry › no partial entry remains', async () => {
      const entry = { type: 'server', name: 'acme/race' } as const;
      for (let round = 0; round < 5; round += 1) {
        await codeOf(publish(0, '1.0.0', { round: String(round) }));
        await Promise.all([
          bench.admin.deleteVersion(superAdmin, entry, '1.0.0'),
          publish(1, '2.0.0', { round: `${round}b` }),
        ]);
        const rows = await bench.rows();
        expect(rows.map((row) => `${row.version} ${row.isLatest}`)).to.deep.equal(['2.0.0 true']);
        await bench.admin.deleteVersion(superAdmin, entry, '2.0.0');
      }
      expect(await bench.store.reading.selectFrom('entry').selectAll().execute()).to.deep.equal([]);
    });
  });

  describe('a write that waits for another write', () => {
    const held = async (run: (release: () => void) => Promise<void>): Promise<void> => {
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const holding = adminWrite(other, async () => {
        begun.resolve();
        await gate.promise;
      });
      await begun.promise;
      try {
        await run(gate.resolve);
      } finally {
        gate.resolve();
        await holding;
      }
    };

    it('ends without a start when its signal aborts', async () => {
      const reason = new Error('nobody waits any more');
      const stop = new AbortController();
      const put = () => bench.admin.putSource(superAdmin, 'late', gitSource(), { signal: stop.signal });
      await held(async () => {
        const waiting = put().catch((error: unknown) => error);
        setImmediate(() => stop.abort(reason));
        expect(await waiting).to.equal(reason);
      });
      await bench.admin.putSource(superAdmin, 'after', gitSource());
      expect((await bench.admin.listSources(superAdmin)).map(({ name }) => name)).to.deep.equal(['after']);
      expect(await put().catch((error: unknown) => error)).to.equal(reason);
    });

    it('finishes when its signal aborts after its start', async () => {
      const stop = new AbortController();
      await adminWrite(
        bench.store,
        async (db) => {
          stop.abort();
          await db.updateTable('change').set({ epoch: 4711 }).execute();
        },
        { signal: stop.signal },
      );
      const [row] = await bench.store.reading.selectFrom('change').select('epoch').execute();
      expect(row?.epoch).to.equal(4711);
    });

    it('throws that the store is busy after a timeout', async () => {
      await held(async () => {
        const patience = { turnMs: 50, rowMs: 20, attempts: 2 };
        const waiting = adminWrite(bench.store, async () => 'done', { patience });
        expect(await codeOf(waiting)).to.equal('ERR_STORE_BUSY');
      });
      expect(await adminWrite(bench.store, async () => 'done')).to.equal('done');
    });
  });

  describe('a sync', () => {
    let scheduler: SyncScheduler | undefined;
    let source: SettableSource;
    let syncs: string[];

    beforeEach(async () => {
      source = new SettableSource();
      syncs = [];
      await bench.admin.putSource(superAdmin, 'docs', gitSource({ claims: { round: '0' } }));
      await bench.admin.putRegistry(superAdmin, 'main', { sources: ['docs'], claims: {} });
    });

    afterEach(() => scheduler?.stop());

    const start = async () => {
      const { id, reading } = await bench.store.reading
        .selectFrom('source')
        .select(['id', 'reading'])
        .where('name', '=', 'docs')
        .executeTakeFirstOrThrow();
      const about = { claimsFrom: 'source', filter: undefined, intervalMs: HOUR } as const;
      scheduler = startSyncScheduler({
        store: bench.store,
        sources: [{ id, name: 'docs', reading, instance: source, ...about }],
        logger: silent,
        clock: () => new Date(),
        maxMetaSize: 1000,
        completed: (record) => void syncs.push(record.outcome),
      });
      return scheduler;
    };
    const content = (round: number, count = 30) =>
      Array.from({ length: count + round }, (_, at) => server(`acme/e${at}`, { title: `round ${round}` }));
    const claims = async () => [...new Set((await bench.rows()).map((row) => JSON.stringify(row.claims)))];
    const put = (admin: RegistryAdmin, round: number) =>
      admin.putSource(superAdmin, 'docs', gitSource({ claims: { round: String(round) } }));

    it('does not restore claims that were changed meanwhile', async () => {
      source.items = content(0);
      const running = await start();
      await running.firstPass;
      for (let round = 1; round <= 12; round += 1) {
        source.items = content(round);
        const done = syncs.length + 1;
        running.trigger('docs');
        for (let turn = 0; turn < round % 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await put(adminAt(round), round);
        await until('the sync', () => syncs.length >= done);
        expect(await claims()).to.deep.equal([`{"round":"${round}"}`]);
      }
      expect(syncs).to.not.include('failed');
    });

    it('does not restore claims that another replica changed by its file', async () => {
      await bench.admin.deleteRegistry(superAdmin, 'main');
      await bench.admin.deleteSource(superAdmin, 'docs');
      const configure = (store: Store, round: number) =>
        define(
          store,
          [{ name: 'docs', claims: { round: String(round) } }],
          [{ name: 'main', sources: ['docs'] }],
        );
      await configure(bench.store, 0);
      source.items = content(0);
      const running = await start();
      await running.firstPass;
      for (let round = 1; round <= 12; round += 1) {
        source.items = content(round);
        const done = syncs.length + 1;
        running.trigger('docs');
        for (let turn = 0; turn < round % 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await configure(other, round);
        await until('the sync', () => syncs.length >= done);
        expect(await claims()).to.deep.equal([`{"round":"${round}"}`]);
      }
      expect(syncs).to.not.include('failed');
    });

    it('writes nothing for a source that is deleted meanwhile', async () => {
      const gate = Promise.withResolvers<void>();
      source.held = gate.promise;
      source.items = content(0);
      await start();
      await until('the reading', () => source.running === 1);
      await bench.admin.putSource(superAdmin, 'stays', gitSource());
      await bench.admin.putRegistry(superAdmin, 'main', { sources: ['stays'], claims: {} });
      await bench.admin.deleteSource(superAdmin, 'docs');
      const { source: again } = await bench.admin.putSource(superAdmin, 'docs', gitSource());
      gate.resolve();
      await until('its end', () => syncs.length === 1);
      expect(await bench.store.reading.selectFrom('entry').selectAll().execute()).to.deep.equal([]);
      expect((await bench.admin.getSource(superAdmin, 'docs')).status).to.deep.equal(again.status);
    });

    it('writes nothing for an old definition, and leaves the source due', async () => {
      const gate = Promise.withResolvers<void>();
      source.held = gate.promise;
      source.items = content(0);
      await start();
      await until('the reading', () => source.running === 1);
      await bench.admin.putSource(
        superAdmin,
        'docs',
        gitSource({ block: { repository: 'https://else.example/x.git' } }),
      );
      gate.resolve();
      await until('its end', () => syncs.length === 1);
      expect(syncs).to.deep.equal(['failed']);
      expect(await bench.rows()).to.deep.equal([]);
      const [row] = await bench.store.reading
        .selectFrom('sync_status')
        .select(['lease_owner', 'due_at_ms', 'attempt_count'])
        .execute();
      expect(row).to.deep.equal({ lease_owner: null, due_at_ms: 0, attempt_count: 0 });
    });

    if (bench.engine !== 'PostgreSQL') return;

    /** Holds every transaction that wants to mark its change, until `release`. */
    const holdChanges = async () => {
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const third = await bench.other();
      const holding = third.writing.transaction().execute(async (db) => {
        await sql`select epoch from change where id = 1 for update`.execute(db);
        begun.resolve();
        await gate.promise;
      });
      await begun.promise;
      return async (): Promise<void> => {
        gate.resolve();
        await holding;
      };
    };
    const waiting = (count: number) =>
      until(`${count} waiting transactions`, async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
        `.execute(bench.store.reading);
        return Number(rows[0]?.count) === count;
      });

    it('makes a change of claims wait for its commit', async () => {
      source.items = content(0);
      await (await start()).firstPass;
      source.items = content(1);
      const release = await holdChanges();
      scheduler?.trigger('docs');
      await waiting(1);
      const changed = put(bench.adminOf(other), 1);
      await waiting(2);
      await release();
      await changed;
      await until('the sync', () => syncs.length === 2);
      expect(await claims()).to.deep.equal(['{"round":"1"}']);
    });

    it('waits for the commit of a change of claims', async () => {
      source.items = content(0);
      await (await start()).firstPass;
      source.items = content(1);
      const release = await holdChanges();
      const changed = put(bench.adminOf(other), 1);
      await waiting(1);
      scheduler?.trigger('docs');
      await waiting(2);
      await release();
      await changed;
      await until('the sync', () => syncs.length === 2);
      expect(syncs).to.not.include('failed');
      expect(await claims()).to.deep.equal(['{"round":"1"}']);
    });

    it('does not block administration of other sources while it writes', async () => {
      source.items = content(0);
      await (await start()).firstPass;
      const lock = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const writing = other.writing.transaction().execute(async (db) => {
        await sql`select id from source where name = 'docs' for share`.execute(db);
        begun.resolve();
        await lock.promise;
      });
      await begun.promise;
      await bench.admin.putSource(superAdmin, 'mine', managedSource());
      await bench.admin.putRegistry(superAdmin, 'more', { sources: ['mine', 'docs'], claims: {} });
      await bench.admin.publish(superAdmin, { ...serverOf('acme/x'), claims: { org: 'acme' } });
      const rows = { turnMs: 8000, rowMs: 50, attempts: 2 };
      const deleting = adminWrite(
        bench.store,
        (db) => db.deleteFrom('source').where('name', '=', 'docs').execute(),
        { patience: rows },
      );
      expect(await codeOf(deleting)).to.equal('ERR_STORE_BUSY');
      lock.resolve();
      await writing;
    });
  });
});
