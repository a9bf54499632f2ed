import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import {
  createRegistryReader,
  openStore,
  publishVersion,
  type RegistryReader,
  type Store,
} from '@portolan/registry';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
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
  describe('reconcileConfig and publishVersion', () => {
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
    const publish = (
      name: string,
      version: string,
      claims: Record<string, string> = {},
      from: Store = store,
    ) =>
      publishVersion(
        from,
        {
          source: 'published',
          type: 'server',
          claims,
          document: { $schema: SCHEMA, name, version, description: 'x' },
        },
        { now: NOW, maxMetaSize: 1000 },
      );

    it('writes nothing when nothing changed', async () => {
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      const before = await epoch();
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      expect(await epoch()).to.equal(before);
    });

    it('pushes changed claims of a synced source onto its entries at once, and leaves published ones alone', async () => {
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

    it('removes what the file no longer names, with its entries', async () => {
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

    it('refuses a name that was taken through the API, and changes nothing', async () => {
      await define(store, [{ name: 'a' }], [{ name: 'main', sources: ['a'] }]);
      await store.writing.updateTable('source').set({ creation_type: 'API' }).execute();
      expect(
        await codeOf(define(store, [{ name: 'a' }, { name: 'b' }], [{ name: 'main', sources: ['a'] }])),
      ).to.equal('ERR_NAME_TAKEN');
      expect(await store.reading.selectFrom('source').select('name').execute()).to.deep.equal([
        { name: 'a' },
      ]);
    });

    it('refuses to remove a source that a registry made through the API still lists', async () => {
      await define(store, [{ name: 'a' }, { name: 'b' }], [{ name: 'main', sources: ['a', 'b'] }]);
      await store.writing.updateTable('registry').set({ creation_type: 'API' }).execute();
      expect(await codeOf(define(store, [{ name: 'a' }], [{ name: 'other', sources: ['a'] }]))).to.equal(
        'ERR_SOURCE_REFERENCED',
      );
    });

    it('shows a new order of sources with the next question', async () => {
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

    describe('publishVersion', () => {
      beforeEach(() =>
        define(
          store,
          [{ name: 'published', claimsFrom: 'publisher' }, { name: 'synced' }],
          [{ name: 'main', sources: ['published'] }],
        ),
      );

      it('refuses a version that is there, other claims, another source and a bad document', async () => {
        await publish('acme/x', '1.0.0', { org: 'acme' });
        expect(await codeOf(publish('acme/x', '1.0.0', { org: 'acme' }))).to.equal('ERR_VERSION_EXISTS');
        expect(await codeOf(publish('acme/x', '1.1.0', { org: 'other' }))).to.equal('ERR_CLAIMS_DIFFER');
        expect(await codeOf(publish('acme/x', '1.1.0'))).to.equal('ERR_CLAIMS_DIFFER');
        expect(await codeOf(publish('no-slash', '1.1.0'))).to.equal('ERR_DOCUMENT_INVALID');
        const elsewhere = publishVersion(
          store,
          {
            source: 'synced',
            type: 'server',
            claims: {},
            document: { $schema: SCHEMA, name: 'acme/y', version: '1.0.0', description: 'x' },
          },
          { now: NOW, maxMetaSize: 1000 },
        );
        expect(await codeOf(elsewhere)).to.equal('ERR_SOURCE_NOT_MANAGED');
        expect((await rows()).map((row) => `${row.name}@${row.version}`)).to.deep.equal(['acme/x@1.0.0']);
      });

      it('moves latest to a higher version only', async () => {
        for (const version of ['1.0.0', '1.10.0', '1.9.0']) await publish('acme/x', version);
        expect((await rows()).filter((row) => row.isLatest).map((row) => row.version)).to.deep.equal([
          '1.10.0',
        ]);
      });

      it('lets exactly one of many publishers of one version win, on two connections', async () => {
        const other =
          engine.name === 'SQLite in memory'
            ? store
            : await openStore(database.config, {
                directory: '/',
                environment: {},
                logger: silent,
                connMaxLifetimeMs: 60_000,
              });
        const codes = await Promise.all(
          Array.from({ length: 10 }, (_, at) =>
            codeOf(publish('acme/race', '1.0.0', { by: String(at) }, at % 2 === 0 ? store : other)),
          ),
        );
        expect(codes.filter((code) => code === 'nothing thrown')).to.have.lengthOf(1);
        expect(await rows()).to.have.lengthOf(1);
        if (other !== store) await other.close();
      });

      it('is seen by the next question of another connection', async () => {
        if (engine.name === 'SQLite in memory') return;
        const other = await openStore(database.config, {
          directory: '/',
          environment: {},
          logger: silent,
          connMaxLifetimeMs: 60_000,
        });
        const elsewhere = createRegistryReader(other);
        for (let at = 0; at < 20; at += 1) {
          await publish('acme/x', `1.${at}.0`);
          const registry = (await elsewhere.catalog()).registries.get('main');
          if (registry === undefined) throw new TypeError('no registry');
          const row = await elsewhere.version({ registry, visible: 'all' }, 'server', 'acme/x', 'latest');
          expect(row?.version).to.equal(`1.${at}.0`);
        }
        await other.close();
      });
    });
  });
});
