import type { ChangeItem, OfficialFacts, ReadItem, Source } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createRegistryReader, type RegistryReader, type Store } from '@portolan/registry';
import { listSyncStatus } from '../src/store/sync-status.ts';
import { leaseOwner, Leases } from '../src/sync/schedule/lease.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import type { SyncContext } from '../src/sync/synced-source.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server } from './support/settable-source.ts';

const T1 = '2026-01-10T12:00:00.000Z';
const T2 = '2026-01-12T08:30:00.000Z';
const FIRST = new Date('2026-03-01T12:00:00.000Z');

function notes(version: string, official?: OfficialFacts, path?: readonly string[]) {
  return {
    ...server('acme/notes', { version }),
    ...(official === undefined ? {} : { official }),
    ...(path === undefined ? {} : { path }),
  };
}

type Items = { readonly full: readonly ReadItem[] } | { readonly changes: readonly ChangeItem[] };

class Upstream implements Source {
  items: readonly ReadItem[] = [];
  changes: readonly ChangeItem[] | undefined;

  async *readEntries(): AsyncGenerator<ReadItem> {
    yield* this.items;
    yield { cursor: 'here' };
  }

  async *readChanges(): AsyncGenerator<ChangeItem> {
    if (this.changes === undefined) yield { startOver: 'The test wants it.' };
    else yield* this.changes;
  }
}

forEachEngine((engine) => {
  describe('official metadata of a synced source', () => {
    let database: TestDatabase;
    let store: Store;
    let reader: RegistryReader;
    let around: SyncContext;
    let upstream: Upstream;
    let now: Date;
    let sourceId: number;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      reader = createRegistryReader(store);
      const owner = leaseOwner();
      now = FIRST;
      const leases = new Leases(store, owner);
      around = { store, owner, leases, logger: silent, clock: () => now, maxMetaSize: 1000 };
      upstream = new Upstream();
      const ids = await define(store, [{ name: 'up' }], [{ name: 'main', sources: ['up'] }]);
      sourceId = ids.get('up') ?? 0;
    });
    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    async function attempt(items: Items) {
      now = new Date(now.getTime() + 60_000);
      upstream.changes = 'changes' in items ? items.changes : undefined;
      upstream.items = 'full' in items ? items.full : [];
      const source = {
        id: sourceId,
        name: 'up',
        instance: upstream,
        claimsFrom: 'source' as const,
        filter: undefined,
        intervalMs: 3_600_000,
        allowShrink: true,
      };
      expect(await around.leases.take(source, true)).to.equal(true);
      return await syncSource(source, around, new AbortController().signal);
    }

    async function sync(items: Items) {
      const record = await attempt(items);
      expect(record.error).to.equal(undefined);
      return record.outcome;
    }

    async function shown(updatedSince?: Date) {
      const catalog = await reader.catalog();
      const registry = catalog.registries.get('main');
      if (registry === undefined) throw new TypeError('there is no registry main');
      const { rows } = await reader.list(
        { registry, visible: 'all' },
        {
          type: 'server',
          limit: 1000,
          includeDeleted: true,
          ...(updatedSince === undefined ? {} : { updatedSince }),
        },
      );
      return rows;
    }

    const latest = async (): Promise<readonly string[]> =>
      (await shown()).filter(({ isLatest }) => isLatest).map(({ version }) => version);

    const stored = () => store.reading.selectFrom('entry_version').selectAll().orderBy('version').execute();

    const mark = async (): Promise<string> => {
      const { instance } = await store.reading
        .selectFrom('change')
        .select('instance')
        .executeTakeFirstOrThrow();
      return instance;
    };

    it('is shown, while the local time of change decides what changed since', async () => {
      const official = {
        status: 'deprecated',
        statusMessage: 'Use acme/notes2',
        statusChangedAt: T2,
        publishedAt: T1,
        updatedAt: T2,
        isLatest: true,
      } as const;
      await sync({ full: [notes('1.0.0', official)] });
      const [row] = await shown();
      expect(row).to.include(official);
      const since = (ms: number): Promise<readonly unknown[]> => shown(new Date(FIRST.getTime() + ms));
      expect(await since(0), 'written here after it').to.have.lengthOf(1);
      expect(await since(60_000), 'written here before it').to.have.lengthOf(0);
    });

    it('with several latest versions › the highest one counts, and an unchanged sync writes nothing', async () => {
      // More than are written at once.
      const versions = Array.from({ length: 250 }, (_, at) => `1.0.${at}`);
      const flagged = new Set(['1.0.3', '1.0.200']);
      const full = versions.map((version) => notes(version, { isLatest: flagged.has(version) }));
      await sync({ full });
      expect(await latest()).to.deep.equal(['1.0.200']);
      const before = await stored();
      expect(await sync({ full })).to.equal('unchanged');
      expect(await stored()).to.deep.equal(before);
    });

    it('is written when it changes, and not when it is read again', async () => {
      const official = { status: 'active', updatedAt: T1, isLatest: true } as const;
      await sync({ full: [notes('1.0.0', official)] });
      const before = await stored();
      expect(await sync({ full: [notes('1.0.0', official)] })).to.equal('unchanged');
      expect(await stored()).to.deep.equal(before);
      const withdrawn = {
        status: 'deleted',
        statusMessage: 'Gone',
        statusChangedAt: T2,
        updatedAt: T2,
      } as const;
      expect(await sync({ full: [notes('1.0.0', { ...withdrawn, isLatest: true })] })).to.equal('changed');
      expect((await shown())[0]).to.include(withdrawn);
      expect(await sync({ full: [notes('1.0.0')] }), 'nothing is said any more').to.equal('changed');
      expect((await shown())[0]).to.include({ status: 'active', statusMessage: undefined });
    });

    it('sets the latest version independently of its number', async () => {
      await sync({
        full: [notes('2.0.0', { isLatest: false }), notes('1.0.1', { isLatest: true }), notes('nightly')],
      });
      expect(await latest()).to.deep.equal(['1.0.1']);
      const before = await stored();
      expect(
        await sync({
          full: [notes('2.0.0', { isLatest: true }), notes('1.0.1', { isLatest: false }), notes('nightly')],
        }),
      ).to.equal('changed');
      expect(await latest()).to.deep.equal(['2.0.0']);
      const times = (rows: readonly { readonly updated_at: string }[]) => rows.map((row) => row.updated_at);
      expect(times(await stored()), 'which is no change of a version').to.deep.equal(times(before));
    });

    it('a change without an old latest version › moves the flag away from it', async () => {
      await sync({ full: [notes('2.0.0', { isLatest: true }), notes('1.0.0', { isLatest: false })] });
      await sync({ changes: [notes('1.0.1', { isLatest: true })] });
      expect(await latest()).to.deep.equal(['1.0.1']);
      await sync({ changes: [notes('1.0.1', { isLatest: false, status: 'deleted' })] });
      expect(await latest(), 'the highest that is left').to.deep.equal(['2.0.0']);
      await sync({ changes: [{ removed: { type: 'server', name: 'acme/notes', version: '2.0.0' } }] });
      expect(await latest()).to.deep.equal(['1.0.0']);
    });

    it('decides by first publication between versions without an order', async () => {
      await sync({ full: [notes('blue', { publishedAt: T2 }), notes('red', { publishedAt: T1 })] });
      expect(await latest()).to.deep.equal(['blue']);
    });

    it('lists for each version the registries that it came through', async () => {
      const here = await mark();
      await sync({ full: [notes('1.0.0', {}, ['first', 'second']), notes('2.0.0')] });
      expect((await shown()).map(({ path }) => path)).to.deep.equal([['first', 'second', here], [here]]);
      expect(await sync({ full: [notes('1.0.0', {}, ['first']), notes('2.0.0')] })).to.equal('changed');
    });

    it('skips an entry that came from this registry, and removes one that later comes from here', async () => {
      const here = await mark();
      await sync({ full: [notes('1.0.0', {}, ['other']), notes('2.0.0', {}, [here, 'other'])] });
      expect((await shown()).map(({ version }) => version)).to.deep.equal(['1.0.0']);
      await sync({ changes: [notes('1.0.0', {}, ['other', here])] });
      expect(await shown()).to.deep.equal([]);
      const status = await store.reading.selectFrom('sync_status').select('skipped_count').executeTakeFirst();
      expect(status?.skipped_count, 'which is no fault').to.equal(0);
    });

    it('skips with a reason an entry whose path is invalid or too long', async () => {
      const longest = Array.from({ length: 16 }, (_, at) => `r${at}`);
      await sync({
        full: [
          notes('1.0.0', {}, longest),
          notes('2.0.0', {}, [...longest, 'more']),
          notes('3.0.0', {}, ['a,b']),
          notes('4.0.0', {}, ['"}']),
        ],
      });
      expect((await shown()).map(({ version }) => version)).to.deep.equal(['1.0.0']);
      const status = await store.reading.selectFrom('sync_status').select('skipped_count').executeTakeFirst();
      expect(status?.skipped_count).to.equal(3);
    });

    it('revision › is that of the last full sync, and stays when changes name none', async () => {
      const revision = async () =>
        (await listSyncStatus(store.reading)).find(({ source }) => source === 'up')?.revision;
      expect(await revision()).to.equal(undefined);
      await sync({ full: [{ revision: 'first' }, notes('1.0.0'), { revision: '4fae' }] });
      expect(await revision()).to.equal('4fae');
      await sync({ changes: [notes('2.0.0'), { cursor: 'on' }] });
      expect(await revision()).to.equal('4fae');
      await sync({ changes: [{ revision: '5' }, { cursor: 'on' }] });
      expect(await revision()).to.equal('5');
      await store.writing.updateTable('sync_status').set({ full_request: 'now' }).execute();
      await sync({ full: [notes('1.0.0')] });
      expect(await revision()).to.equal(undefined);
    });

    for (const revision of ['', 'x'.repeat(201), 'a\0b', '\ud800'])
      it(`revision › fails the sync when it cannot be stored: ${JSON.stringify(revision).slice(0, 20)}`, async () => {
        await sync({ full: [notes('1.0.0')] });
        await store.writing.updateTable('sync_status').set({ full_request: 'now' }).execute();
        const failed = await attempt({ full: [{ revision }] });
        expect(failed.outcome).to.equal('failed');
        expect((await shown()).map(({ version }) => version)).to.deep.equal(['1.0.0']);
      });

    it('survives a migration back and forth with the next sync', async () => {
      const official = { status: 'active', updatedAt: T1 } as const;
      await sync({ full: [notes('1.0.0', official, ['first'])] });
      const migrations = [
        '0004-carried-facts',
        '0005-browser-sessions',
        '0006-sync-revisions',
        '0007-held-syncs',
      ];
      expect(await store.migrations.down(4)).to.deep.equal(migrations.toReversed());
      expect(await store.migrations.up()).to.deep.equal(migrations);
      await sync({ full: [notes('1.0.0', official, ['first'])] });
      expect((await shown())[0]).to.deep.include({ updatedAt: T1, path: ['first', await mark()] });
    });
  });
});
