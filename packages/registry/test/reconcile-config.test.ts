import { expect } from 'chai';
import { anonymousPolicy } from '@portolan/authorization';
import { isPortolanError } from '@portolan/plugin-api';
import {
  createRegistryAdmin,
  createRegistryReader,
  type RegistryReader,
  type Store,
} from '@portolan/registry';
import { forEachEngine, openTestStore, type TestDatabase } from './support/engines.ts';
import { define, fill, NOW } from './support/fill.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (isPortolanError(error)) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

forEachEngine((engine) => {
  describe('reconcileConfig', () => {
    let database: TestDatabase;
    let store: Store;
    let reader: RegistryReader;

    beforeEach(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      reader = createRegistryReader(store);
    });

    afterEach(async () => {
      await store.close();
      await database.drop();
    });

    const rows = async (registryName = 'main') => {
      const registry = (await reader.catalog()).registries.get(registryName);
      if (registry === undefined) throw new TypeError('no registry');
      return (await reader.list({ registry, visible: 'all' }, { type: 'server', limit: 100 })).rows;
    };
    const epoch = async () => (await reader.catalog()).registries.get('main')?.epoch;
    const publish = (name: string, version: string, claims: Record<string, string> = {}) =>
      createRegistryAdmin(store, { clock: () => NOW, maxMetaSize: 1000 }).publish(
        { policy: anonymousPolicy, caller: undefined },
        {
          source: 'published',
          type: 'server',
          claims,
          document: { $schema: SCHEMA, name, version, description: 'x' },
        },
      );

    it('writes nothing when nothing has changed', async () => {
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      const before = await epoch();
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      expect(await epoch()).to.equal(before);
    });

    it('applies changed claims of a synced source to its entries at once, and not to published ones', async () => {
      const sources = (claims: Record<string, string>) => [
        { name: 'synced', claims },
        { name: 'published', claims, claimsFrom: 'publisher' as const },
      ];
      const registries = [{ name: 'main', sources: ['synced', 'published'] }];
      const ids = await define(store, sources({ team: 'a' }), registries);
      await fill(store, ids.get('synced') ?? 0, [{ name: 'acme/synced', version: '1.0.0' }]);
      await publish('acme/published', '1.0.0', { org: 'acme' });
      await define(store, sources({ team: 'b' }), registries);
      expect((await rows()).map((row) => [row.name, row.claims])).to.deep.equal([
        ['acme/published', { org: 'acme' }],
        ['acme/synced', { team: 'b' }],
      ]);
    });

    it('deletes sources and registries that the file no longer names, with their entries', async () => {
      const ids = await define(
        store,
        [{ name: 'a' }, { name: 'b' }],
        [
          { name: 'main', sources: ['a', 'b'] },
          { name: 'old', sources: ['b'] },
        ],
      );
      await fill(store, ids.get('b') ?? 0, [{ name: 'acme/x', version: '1.0.0' }]);
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      expect(await rows()).to.deep.equal([]);
      expect([...(await reader.catalog()).registries.keys()]).to.deep.equal(['main']);
      expect(await store.reading.selectFrom('entry_version').selectAll().execute()).to.deep.equal([]);
    });

    it('throws for a name that was created through the API, and changes nothing', async () => {
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      await store.writing.updateTable('source').set({ creation_type: 'API' }).execute();
      expect(
        await codeOf(define(store, [{ name: 'a' }, { name: 'b' }], [{ name: 'main', sources: ['a'] }])),
      ).to.equal('ERR_NAME_TAKEN');
      expect(await store.reading.selectFrom('source').select('name').execute()).to.deep.equal([
        { name: 'a' },
      ]);
    });

    it('throws when it should delete a source that a registry of the API still lists', async () => {
      await define(store, [{ name: 'a' }, { name: 'b' }], [{ name: 'main', sources: ['a', 'b'] }]);
      await store.writing.updateTable('registry').set({ creation_type: 'API' }).execute();
      expect(await codeOf(define(store, [{ name: 'a' }], [{ name: 'other', sources: ['a'] }]))).to.equal(
        'ERR_SOURCE_REFERENCED',
      );
    });

    it('applies a new order of sources to the next query', async () => {
      const ids = await define(
        store,
        [{ name: 'a' }, { name: 'b' }],
        [{ name: 'main', sources: ['a', 'b'] }],
      );
      for (const name of ['a', 'b'])
        await fill(store, ids.get(name) ?? 0, [{ name: 'acme/x', version: '1.0.0', title: name }]);
      expect((await rows()).map((row) => row.source)).to.deep.equal(['a']);
      await define(store, [{ name: 'a' }, { name: 'b' }], [{ name: 'main', sources: ['b', 'a'] }]);
      expect((await rows()).map((row) => row.source)).to.deep.equal(['b']);
    });

    it('stores the public claims of a registry, and removes them when the file no longer has them', async () => {
      const shown = async () => (await reader.catalog()).registries.get('main')?.publicClaims;
      const open = (more: object) =>
        define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'], ...more }]);
      await open({});
      expect(await shown()).to.equal(undefined);
      await open({ public: true });
      expect(await shown()).to.deep.equal({});
      await open({ public: true, publicClaims: { audience: 'all' } });
      expect(await shown()).to.deep.equal({ audience: 'all' });
      const before = await epoch();
      await open({ public: true, publicClaims: { audience: 'all' } });
      expect(await epoch()).to.equal(before);
      await open({ public: false });
      expect(await shown()).to.equal(undefined);
    });

    it('changes the revision of changed resources only', async () => {
      const revisions = async () => {
        const [a, b] = await store.reading
          .selectFrom('source')
          .select(['name', 'revision', 'reading'])
          .orderBy('name')
          .execute();
        const [registry] = await store.reading.selectFrom('registry').select('revision').execute();
        return { a, b, registry: registry?.revision };
      };
      const registries = [{ name: 'main', sources: ['a', 'b'] }];
      await define(store, [{ name: 'a' }, { name: 'b' }], registries);
      const first = await revisions();
      await define(store, [{ name: 'a', claims: { team: 'x' } }, { name: 'b' }], registries);
      const second = await revisions();
      expect(second).to.deep.include({ b: first.b, registry: first.registry });
      expect(second.a?.revision).to.not.equal(first.a?.revision);
      expect(second.a?.reading, 'claims are no reason to read it otherwise').to.equal(first.a?.reading);
      await define(
        store,
        [{ name: 'a', claims: { team: 'x' } }, { name: 'b' }],
        [{ name: 'main', sources: ['b', 'a'] }],
      );
      expect((await revisions()).registry).to.not.equal(first.registry);
    });
  });
});
