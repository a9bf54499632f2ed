import { createRegistryReader, type RegistryReader, type Store } from '@portolan/registry';
import { expect } from 'chai';
import { leaseOwner, Leases } from '../src/sync/schedule/lease.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define, NOW } from './support/fill.ts';
import { server, SettableSource } from './support/settable-source.ts';

forEachEngine((engine) => {
  describe('skippedOf (N8)', () => {
    let database: TestDatabase;
    let store: Store;
    let reader: RegistryReader;
    before(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      reader = createRegistryReader(store);
      const definition = { name: 'up', claims: { org: 'acme' } };
      const ids = await define(store, [definition], [{ name: 'main', sources: ['up'] }]);
      const instance = new SettableSource();
      const many = Array.from({ length: 12 }, (_, at) =>
        server('acme/many', { version: `1.0.${at}`, description: 1 }),
      );
      instance.items = [
        server('acme/sound'),
        server('acme/sound', { version: '2.0.0', description: 7 }),
        { ...server('acme/no-version', { version: undefined }), place: 'data.servers[2]' },
        { skipped: 'Service team/x', because: 'It is broken.', entry: { type: 'server', name: 'acme/x' } },
        { skipped: 'acme/y@1.0.0', because: 'It is too large.' },
        server('acme/twice'),
        server('acme/twice'),
        ...many,
      ];
      const owner = leaseOwner();
      const leases = new Leases(store, owner);
      const around = { store, owner, leases, logger: silent, clock: () => NOW, maxMetaSize: 1000 };
      const source = {
        id: ids.get('up') ?? 0,
        name: 'up',
        instance,
        claimsFrom: 'source' as const,
        filter: undefined,
        intervalMs: 3_600_000,
        allowShrink: true,
      };
      expect(await leases.take(source, true)).to.equal(true);
      const { error } = await syncSource(source, around, new AbortController().signal);
      expect(error).to.equal(undefined);
    });
    after(async () => {
      await store.close();
      await database.drop();
    });

    const labels = async (name: string, type: 'server' | 'skill' = 'server') =>
      (await reader.skippedOf(type, name)).map(({ skipped }) => skipped);

    it('returns the source with its claims, the place and the reason', async () => {
      const [skip, ...others] = await reader.skippedOf('server', 'acme/sound');
      expect(others).to.deep.equal([]);
      expect(skip).to.deep.include({
        source: 'up',
        claims: { org: 'acme' },
        skipped: 'data.servers[0] (acme/sound)',
      });
      expect(skip?.because).to.include('description');
    });

    it('finds documents without a version, and those that the source itself skips', async () => {
      expect(await labels('acme/no-version')).to.deep.equal(['data.servers[2] (acme/no-version)']);
      expect(await labels('acme/x')).to.deep.equal(['Service team/x']);
      expect(await labels('acme/y')).to.deep.equal(['acme/y@1.0.0']);
      expect(await labels('acme/twice')).to.deep.equal(['acme/twice@1.0.0']);
    });

    it('returns nothing for other types, other names and parts of names', async () => {
      expect(await labels('acme/sound', 'skill')).to.deep.equal([]);
      for (const name of ['acme/soun', 'cme/sound', 'acme/sound)', 'team/x', '', 'a\0b'])
        expect(await labels(name), name).to.deep.equal([]);
    });

    it('returns a source whose filter excludes the name', async () => {
      const filter = JSON.stringify({
        names: { include: ['acme/*'], exclude: ['acme/x'] },
        tags: { include: ['a'] },
      });
      await store.writing.updateTable('source').set({ filter }).execute();
      const by = async (name: string) => (await reader.skippedOf('server', name)).map((skip) => skip.by);
      expect(await by('other/x')).to.deep.equal(['filter']);
      expect(await by('acme/x')).to.deep.equal(['sync', 'filter']);
      expect(await by('acme/absent')).to.deep.equal([]);
      expect((await reader.skippedOf('server', 'other/x'))[0]?.because).to.equal(
        'The filter of source "up" takes no entry of this name.',
      );
      await store.writing.updateTable('source').set({ filter: null }).execute();
    });

    it('returns at most 10 versions of a source', async () => {
      expect(await labels('acme/many')).to.have.length(10);
    });
  });
});
