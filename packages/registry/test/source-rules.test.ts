import type { ChangeItem, ReadItem, Source } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Store } from '@portolan/registry';
import { leaseOwner, Leases } from '../src/sync/schedule/lease.ts';
import { SourceWatch } from '../src/sync/schedule/source-watch.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import type { SyncedSource, SyncContext } from '../src/sync/synced-source.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server } from './support/settable-source.ts';

const HOUR = 3_600_000;

/** Tells which way it was read. */
class RecordedSource implements Source {
  readonly reads: string[] = [];
  items: readonly ReadItem[] = [server('acme/one'), { cursor: 'c1' }];
  changes: readonly ChangeItem[] = [{ cursor: 'c2' }];
  fullReadEveryMs?: number;

  async *readEntries(): AsyncGenerator<ReadItem> {
    this.reads.push('in full');
    yield* this.items;
  }

  async *readChanges(since: string): AsyncGenerator<ChangeItem> {
    this.reads.push(`since ${since}`);
    yield* this.changes;
  }
}

forEachEngine((engine) => {
  describe('a source that reports changes', () => {
    let database: TestDatabase;
    let store: Store;
    let now: Date;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      now = new Date('2026-03-01T12:00:00.000Z');
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    const context = (more: Partial<SyncContext> = {}): SyncContext => {
      const owner = leaseOwner();
      const leases = new Leases(more.store ?? store, owner);
      return { store, owner, leases, logger: silent, clock: () => now, maxMetaSize: 1000, ...more };
    };

    const open = async (instance: Source, claims = { team: 'a' }): Promise<SyncedSource> => {
      const id = (await define(store, [{ name: 'docs', claims }], [])).get('docs') ?? 0;
      return { id, name: 'docs', instance, claimsFrom: 'source', filter: undefined, intervalMs: HOUR };
    };

    const sync = async (source: SyncedSource, around = context()) => {
      expect(await around.leases.take(source, true), 'the lease').to.equal(true);
      return await syncSource(source, around, new AbortController().signal);
    };

    const status = () => store.reading.selectFrom('sync_status').selectAll().executeTakeFirstOrThrow();

    it('is synced fully once, and then from cursor to cursor', async () => {
      const instance = new RecordedSource();
      const source = await open(instance);
      for (let turn = 0; turn < 2; turn += 1) await sync(source);
      instance.changes = [];
      await sync(source);
      await sync(source, context());
      expect(instance.reads).to.deep.equal(['in full', 'since c1', 'since c2', 'since c2']);
      expect(await status()).to.include({ cursor: 'c2', phase: 'complete', server_count: 1 });
    });

    it('is synced fully again when filter, limit or claims change, and after a day', async () => {
      const instance = new RecordedSource();
      const source = await open(instance);
      await sync(source);
      await sync({ ...source, filter: { names: { include: ['acme/*'] } } });
      await sync({ ...source, filter: { names: { include: ['acme/*'] } } }, context({ maxMetaSize: 999 }));
      await sync(source);
      await open(instance, { team: 'b' });
      await sync(source);
      expect(instance.reads).to.deep.equal(Array.from({ length: 5 }, () => 'in full'));
      now = new Date(now.getTime() + 23 * HOUR);
      await sync(source);
      now = new Date(now.getTime() + 2 * HOUR);
      await sync(source);
      instance.fullReadEveryMs = HOUR;
      await sync(source);
      now = new Date(now.getTime() + HOUR);
      await sync(source);
      expect(instance.reads.slice(5)).to.deep.equal(['since c1', 'in full', 'since c1', 'in full']);
    });

    it('keeps the cursor when the changes cannot be stored, and reads them again', async () => {
      const instance = new RecordedSource();
      const source = await open(instance);
      await sync(source);
      instance.changes = [server('acme/two'), { cursor: '\0' }];
      expect(await sync(source)).to.include({ outcome: 'failed' });
      instance.changes = [server('acme/two'), { cursor: 'c3' }];
      expect(await sync(source)).to.include({ outcome: 'changed', servers: 2 });
      expect(instance.reads).to.deep.equal(['in full', 'since c1', 'since c1']);
    });

    it('removes a version that is no longer valid, or that the filter excludes', async () => {
      const instance = new RecordedSource();
      const source = { ...(await open(instance)), filter: { tags: { exclude: ['old'] } }, allowShrink: true };
      instance.items = [server('acme/one'), server('acme/two'), { cursor: 'c1' }];
      await sync(source);
      const tagged = {
        _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { v: { k: { tags: ['old'] } } } },
      };
      instance.changes = [server('acme/one', { description: 7 }), server('acme/two', tagged)];
      expect(await sync(source)).to.include({ outcome: 'changed', servers: 0, skipped: 1 });
      instance.changes = [server('acme/one')];
      expect(await sync(source)).to.include({ servers: 1, skipped: 0 });
    });

    it('reports in the status a scope that was not read, until it is read', async () => {
      const instance = new RecordedSource();
      const source = await open(instance);
      const [a, b] = [
        { ...server('acme/a'), scope: 'a' },
        { ...server('acme/b'), scope: 'b' },
      ];
      instance.items = [a, b, { completeScopes: ['a', 'b'], allScopes: ['a', 'b'] }, { cursor: 'c' }];
      expect(await sync(source)).to.include({ servers: 2, skipped: 0 });
      instance.items = [a, { completeScopes: ['a'], allScopes: ['a', 'b'] }, { cursor: 'c' }];
      now = new Date(now.getTime() + 25 * HOUR);
      expect(await sync(source)).to.include({ outcome: 'unchanged', servers: 2, skipped: 1 });
      expect(JSON.parse((await status()).skipped)[0]).to.include({ skipped: 'b' });
      instance.changes = [b, { completeScopes: ['b'] }];
      expect(await sync(source)).to.include({ servers: 2, skipped: 0 });
      instance.changes = [{ completeScopes: ['b'] }];
      expect(await sync(source)).to.include({ servers: 1 });
      instance.changes = [{ completeScopes: [], allScopes: [] }];
      expect(await sync(source)).to.include({ servers: 0 });
    });

    it('fails when only some entries have a scope', async () => {
      const instance = new RecordedSource();
      instance.items = [server('acme/a'), { ...server('acme/b'), scope: 'b' }];
      expect((await sync(await open(instance))).error).to.contain('without a scope');
    });

    describe('with a watch', () => {
      /** A source whose watches a test counts and ends. */
      class WatchedSource extends RecordedSource {
        watches = 0;
        maxAtOnce = 0;
        #running = 0;
        fails = false;

        async *watch(signal: AbortSignal): AsyncGenerator<void> {
          this.watches += 1;
          this.#running += 1;
          this.maxAtOnce = Math.max(this.maxAtOnce, this.#running);
          try {
            if (this.fails) throw new Error('the connection broke');
            yield;
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          } finally {
            this.#running -= 1;
          }
        }
      }

      it('is watched by one process, and by another one after it has ended', async () => {
        const instance = new WatchedSource();
        const source = await open(instance);
        const triggers = [0, 0];
        const [first, second] = [new AbortController(), new AbortController()];
        // Owners of other machines: one of this process counts as an earlier life of it, and loses its lease.
        const on = (machine: string) => {
          const owner = `${machine}:1:x`;
          return context({ owner, leases: new Leases(store, owner) });
        };
        const watches = [first, second].map((stop, at) => {
          const watch = new SourceWatch(
            source,
            on(`machine-${at}`),
            () => (triggers[at] = (triggers[at] ?? 0) + 1),
            5,
          );
          return watch.run(stop.signal);
        });
        try {
          await eventually(() => expect(triggers[0]! + triggers[1]!).to.be.greaterThan(0));
          const holder = triggers[0]! > 0 ? 0 : 1;
          expect(instance.maxAtOnce).to.equal(1);
          [first, second][holder]?.abort();
          await eventually(() => expect(triggers[1 - holder]).to.be.greaterThan(0));
          expect(instance.maxAtOnce).to.equal(1);
          // As a process that has died, whose lease has run out.
          await store.writing
            .updateTable('sync_status')
            .set({ watch_owner: 'elsewhere:1:x', watch_until_ms: 1 })
            .execute();
          const third = new AbortController();
          let taken = 0;
          const last = new SourceWatch(source, on('machine-3'), () => (taken += 1), 5).run(third.signal);
          await eventually(() => expect(taken).to.be.greaterThan(0));
          third.abort();
          await last;
        } finally {
          first.abort();
          second.abort();
          await Promise.all(watches);
        }
        expect((await status()).watch_owner).to.equal(null);
      });

      it('is watched again after a pause when the watch ends or throws', async () => {
        const instance = new WatchedSource();
        instance.fails = true;
        const logger = createRecordingLogger();
        const stop = new AbortController();
        const source = await open(instance);
        let triggers = 0;
        const watch = new SourceWatch(source, context({ logger }), () => (triggers += 1), 5);
        const running = watch.run(stop.signal);
        try {
          await eventually(() => expect(instance.watches).to.be.greaterThan(2));
          instance.fails = false;
          const before = triggers;
          await eventually(() => expect(triggers).to.be.greaterThan(before + 1));
        } finally {
          stop.abort();
          await running;
        }
      });
    });
  });
});
