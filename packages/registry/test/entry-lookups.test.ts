import { expect } from 'chai';
import {
  CatalogOutdated,
  createRegistryReader,
  type ReadScope,
  type RegistryReader,
  type Store,
  type VisibleClasses,
} from '@portolan/registry';
import { forEachEngine, openTestStore, type TestDatabase } from './support/engines.ts';
import { define, fill, type PlainVersion } from './support/fill.ts';

const CLAIMS = { a: { team: 'a' }, b: { team: 'b' } } as const;
const NAMES = [
  'acme/one',
  'acme/two',
  "acme/it's {\"odd\", 'name'}",
  'acme/ba\\ck,slash',
  'acme/NULL',
  'acme/absent',
];
const VERSIONS = ['1.0.0', '2.0.0', 'latest', '9.9.9'];

/** Of each name one version that only this source has, and one that was deleted. */
function versionsOf(source: keyof typeof CLAIMS): PlainVersion[] {
  return NAMES.slice(0, -1).flatMap((name, at): PlainVersion[] =>
    // The first source lacks a name, so that the second one's is not hidden for those who see both.
    source === 'a' && at === 1
      ? []
      : [
          { name, version: '1.0.0', title: `of ${source}` },
          { name, version: '2.0.0', title: `of ${source}`, ...(at % 2 === 0 ? {} : { status: 'deleted' }) },
        ],
  );
}

forEachEngine((engine) => {
  describe('RegistryReader.version with concurrent callers', () => {
    let database: TestDatabase;
    let store: Store;
    let reader: RegistryReader;
    /** What each kind of caller sees. */
    let callers: readonly (readonly [label: string, scope: ReadScope])[];

    before(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      reader = createRegistryReader(store);
      const sources = [
        { name: 'a', claims: CLAIMS.a },
        { name: 'b', claims: CLAIMS.b },
      ];
      const ids = await define(store, sources, [
        { name: 'both', sources: ['a', 'b'] },
        { name: 'turned', sources: ['b', 'a'] },
      ]);
      await fill(store, ids.get('a') ?? 0, versionsOf('a'));
      await fill(store, ids.get('b') ?? 0, versionsOf('b'));
      const { registries, claimSets } = await reader.catalog();
      const classOf = (claims: object): number[] =>
        [...claimSets].filter(([, own]) => JSON.stringify(own) === JSON.stringify(claims)).map(([id]) => id);
      const kinds: readonly (readonly [string, VisibleClasses])[] = [
        ['all', 'all'],
        ['a', classOf(CLAIMS.a)],
        ['b', classOf(CLAIMS.b)],
        ['a and b', [...classOf(CLAIMS.a), ...classOf(CLAIMS.b)]],
        ['nothing', []],
      ];
      callers = [...registries.values()].flatMap((registry) =>
        kinds.map(([label, visible]) => [`${label} of ${registry.name}`, { registry, visible }] as const),
      );
    });

    after(async () => {
      await store.close();
      await database.drop();
    });

    const ask = async (scope: ReadScope, name: string, version: string, includeDeleted: boolean) => {
      const row = await reader.version(scope, 'server', name, version, { includeDeleted });
      return row === undefined
        ? 'none'
        : `${row.name} ${row.version} ${row.source} ${row.status} ${row.document}`;
    };

    it('returns each caller the result of a single call', async () => {
      const questions = callers.flatMap(([label, scope]) =>
        NAMES.flatMap((name) =>
          VERSIONS.flatMap((version) =>
            [false, true].map((includeDeleted) => ({ label, scope, name, version, includeDeleted })),
          ),
        ),
      );
      const together = await Promise.all(
        questions.map(({ scope, name, version, includeDeleted }) =>
          ask(scope, name, version, includeDeleted),
        ),
      );
      const alone: string[] = [];
      for (const { scope, name, version, includeDeleted } of questions)
        alone.push(await ask(scope, name, version, includeDeleted));
      const labels = questions.map(
        ({ label, name, version, includeDeleted }) => `${label}: ${name} ${version} ${includeDeleted}`,
      );
      expect(together.map((answer, at) => `${labels[at]} = ${answer}`)).to.deep.equal(
        alone.map((answer, at) => `${labels[at]} = ${answer}`),
      );
      // What one caller may see is known without the reader.
      for (const [at, { label, name }] of questions.entries()) {
        const answer = together[at] ?? '';
        if (label.startsWith('nothing') || name === 'acme/absent')
          expect(answer, labels[at]).to.equal('none');
        if (label.startsWith('a of')) expect(answer, labels[at]).not.to.contain('of b');
        if (label.startsWith('b of')) expect(answer, labels[at]).not.to.contain('of a');
      }
      expect(together.filter((answer) => answer !== 'none')).to.have.lengthOf.above(questions.length / 3);
    });

    it('fails only the caller whose name the database rejects', async () => {
      const [, scope] = callers[0] ?? expect.fail('no caller');
      const refused = reader.version(scope, 'server', 'acme/\0', '1.0.0').then(
        (row) => (row === undefined ? 'none' : 'found'),
        () => 'none',
      );
      const [odd, found] = await Promise.all([refused, ask(scope, 'acme/one', '1.0.0', false)]);
      expect(odd).to.equal('none');
      expect(found).to.contain('acme/one 1.0.0');
    });

    // Each connection to a database in memory has its own.
    if (engine.name !== 'SQLite in memory')
      it('returns results for an earlier catalog only while it is the newest', async () => {
        const own = await engine.make();
        const [here, elsewhere] = [await openTestStore(own.config), await openTestStore(own.config)];
        try {
          const asked = createRegistryReader(here);
          const ids = await define(
            elsewhere,
            [{ name: 'a', claims: CLAIMS.a }],
            [{ name: 'one', sources: ['a'] }],
          );
          const source = ids.get('a') ?? 0;
          await fill(elsewhere, source, versionsOf('b'));
          const catalog = await asked.catalog();
          const known = asked.knownCatalog();
          expect(known === undefined, 'SQLite tells the newest change at once').to.equal(
            here.engine === 'sqlite',
          );
          const registry = catalog.registries.get('one') ?? expect.fail('no registry');
          const scope: ReadScope = { registry, visible: 'all', isUnconfirmed: true };
          const questions: readonly (readonly [ReadScope, string, string])[] = [
            [scope, 'acme/one', '1.0.0'],
            [scope, 'acme/one', 'latest'],
            [scope, 'acme/absent', '1.0.0'],
            [{ ...scope, visible: [] }, 'acme/one', '1.0.0'],
          ];
          const outcomes = async () => {
            const settled = await Promise.allSettled(
              questions.map(([asking, name, version]) => asked.version(asking, 'server', name, version)),
            );
            return settled.map((one) =>
              one.status === 'fulfilled'
                ? (one.value?.version ?? 'none')
                : one.reason instanceof CatalogOutdated,
            );
          };
          expect(await outcomes()).to.deep.equal(['1.0.0', '2.0.0', 'none', 'none']);
          // Of another process: it touches no row that is asked for, and what is decided on the catalog is outdated all the same.
          await define(elsewhere, [{ name: 'a', claims: CLAIMS.b }], [{ name: 'one', sources: ['a'] }]);
          expect(await outcomes()).to.deep.equal([true, true, true, true]);
          expect((await asked.catalog()) === catalog, 'asked again, it is a new one').to.equal(false);
          expect(await outcomes(), 'what rests on the old one stays outdated').to.deep.equal([
            true,
            true,
            true,
            true,
          ]);
        } finally {
          await here.close();
          await elsewhere.close();
          await own.drop();
        }
      });

    it('throws for all callers when the database is down', async () => {
      const own = await engine.make();
      const lost = await openTestStore(own.config);
      const asking = createRegistryReader(lost);
      const ids = await define(lost, [{ name: 'a' }], [{ name: 'one', sources: ['a'] }]);
      await fill(lost, ids.get('a') ?? 0, versionsOf('b'));
      const { registries } = await asking.catalog();
      const registry = registries.get('one') ?? expect.fail('no registry');
      await lost.close();
      const scope = { registry, visible: 'all' } as const;
      const outcomes = await Promise.allSettled(
        NAMES.map((name) => asking.version(scope, 'server', name, '1.0.0')),
      );
      await own.drop();
      expect(outcomes.map(({ status }) => status)).to.deep.equal(NAMES.map(() => 'rejected'));
    });
  });
});
