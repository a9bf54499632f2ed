import { expect } from 'chai';
import fc from 'fast-check';
import type { Entry, ResourceClaims } from '@portolan/plugin-api';
import {
  createRegistryReader,
  type ReadScope,
  type RegistryReader,
  type Store,
  type VisibleClasses,
} from '@portolan/registry';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { canonicalClaims } from '../src/store/claim-sets.ts';
import { forEachEngine, openTestStore, type TestDatabase } from './support/engines.ts';
import { define, fill, type PlainVersion, versionOrderKey } from './support/fill.ts';

interface PlacedVersion extends PlainVersion {
  readonly source: string;
}

const SOURCES = ['first', 'second', 'third'];
const CLASSES: readonly ResourceClaims[] = [{ team: 'a' }, { team: 'b' }, { team: ['a', 'b'] }];

const versionArbitrary: fc.Arbitrary<PlacedVersion> = fc.record({
  source: fc.constantFrom(...SOURCES),
  name: fc.constantFrom(
    'acme/alpha',
    'acme/beta',
    'acme/Beta',
    'acme/gamma',
    'b.acme/x_1',
    'b-acme/x%1',
    'c.acme/delta',
    'zeta/näme',
  ),
  version: fc.constantFrom('1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1', 'nightly'),
  title: fc.constantFrom('', 'Notes 100%', 'Ünder_score', 'İstanbul'),
  description: fc.constantFrom('about notes', 'ABOUT maps', 'x', 'a "quoted" word'),
  status: fc.constantFrom('active' as const, 'active' as const, 'deprecated' as const, 'deleted' as const),
  claims: fc.constantFrom(...CLASSES),
});

/** What a plain scan over everything answers; written without looking at the queries. */
function scan(
  all: readonly PlacedVersion[],
  visible: readonly ResourceClaims[] | 'all',
  query: { readonly search?: string; readonly version?: string; readonly includeDeleted?: boolean },
): string[] {
  const sees = (claims: ResourceClaims | undefined): boolean =>
    visible === 'all' || visible.some((one) => canonicalClaims(one) === canonicalClaims(claims ?? {}));
  const names = [...new Set(all.map((row) => row.name))];
  const rows = names.flatMap((name) => {
    const winner = SOURCES.find((source) =>
      all.some((row) => row.name === name && row.source === source && sees(row.claims)),
    );
    const versions = all.filter((row) => row.name === name && row.source === winner);
    const present = versions.filter((row) => row.status !== 'deleted');
    const [latest] = (present.length > 0 ? present : versions).toSorted((a, b) =>
      keyOf(a) < keyOf(b) ? 1 : -1,
    );
    return versions
      .filter(
        (row) =>
          query.version === undefined ||
          (query.version === 'latest' ? row === latest : row.version === query.version),
      )
      .filter((row) => query.includeDeleted === true || row.status !== 'deleted')
      .filter((row) => {
        const needle = query.search?.toLowerCase();
        return (
          needle === undefined ||
          [row.name, row.title, row.description].some((text) => text?.toLowerCase().includes(needle))
        );
      });
  });
  const bytes = (text: string): string => Buffer.from(text).toString('hex');
  return rows
    .toSorted((a, b) =>
      bytes(a.name) + '00' + bytes(a.version) < bytes(b.name) + '00' + bytes(b.version) ? -1 : 1,
    )
    .map((row) => `${row.name}@${row.version} of ${row.source}`);
}

function keyOf(row: PlacedVersion): string {
  return versionOrderKey(row.version, '2026-03-01T12:00:00.000Z');
}

/** All versions of a name in a source carry the same claims, and no version comes twice. */
function consistent(rows: readonly PlacedVersion[]): PlacedVersion[] {
  const claims = new Map<string, ResourceClaims | undefined>();
  const seen = new Map<string, PlacedVersion>();
  for (const row of rows) {
    const entry = `${row.source} ${row.name}`;
    if (!claims.has(entry)) claims.set(entry, row.claims);
    const shared = claims.get(entry);
    seen.set(`${entry} ${row.version}`, { ...row, ...(shared === undefined ? {} : { claims: shared }) });
  }
  return [...seen.values()];
}

// With so few rows ahead, and so few to sort, the small data of this test takes every way to find rows.
for (const limits of [
  { peekRows: 3, maxSorted: 4, maxMerged: 100 },
  { peekRows: 3, maxSorted: 5000, maxMerged: 100 },
  { peekRows: 500, maxSorted: 5000, maxMerged: 100 },
  { peekRows: 500, maxSorted: 5000, maxMerged: 1 },
])
  forEachEngine((engine) => {
    describe(`createRegistryReader, looking ${limits.peekRows} rows ahead, sorting ${limits.maxSorted}, merging ${limits.maxMerged}`, () => {
      let database: TestDatabase;
      let store: Store;
      let reader: RegistryReader;
      let ids: ReadonlyMap<string, number>;

      before(async function () {
        this.timeout(180_000);
        database = await engine.make();
        store = await openTestStore(database.config);
        reader = createRegistryReader(store, limits);
        ids = await define(
          store,
          SOURCES.map((name) => ({ name, claimsFrom: 'entry' as const })),
          [{ name: 'main', sources: SOURCES }],
        );
      });

      after(async () => {
        await store.close();
        await database.drop();
      });

      const scopeFor = async (visible: readonly ResourceClaims[] | 'all'): Promise<ReadScope> => {
        const catalog = await reader.catalog();
        const registry = catalog.registries.get('main');
        if (registry === undefined) throw new TypeError('the registry "main" is missing');
        const wanted = visible === 'all' ? [] : visible.map(canonicalClaims);
        const classes: VisibleClasses =
          visible === 'all'
            ? 'all'
            : [...catalog.claimSets]
                .filter(([, claims]) => wanted.includes(canonicalClaims(claims)))
                .map(([id]) => id);
        return { registry, visible: classes };
      };

      const fillAll = async (rows: readonly PlacedVersion[]): Promise<void> => {
        for (const source of SOURCES) {
          const id = ids.get(source);
          if (id === undefined) throw new TypeError(`the source ${source} is missing`);
          await fill(
            store,
            id,
            rows.filter((row) => row.source === source),
          );
        }
      };

      const listAll = async (
        limit: number,
        filter?: (entries: readonly Entry[]) => Promise<readonly Entry[]>,
      ) => {
        const found: string[][] = [];
        for (let after: { name: string; version: string } | undefined; ; ) {
          const scope = { ...(await scopeFor('all')), ...(filter === undefined ? {} : { filter }) };
          const page = await reader.list(scope, { type: 'server', limit, ...(after ? { after } : {}) });
          found.push(page.rows.map((row) => `${row.name}@${row.version} of ${row.source}`));
          after = page.rows.at(-1);
          if (!page.more) return found;
        }
      };

      it('skips no name when one source has many versions and another few', async () => {
        const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', '1.5.0', '1.6.0', '1.7.0', '1.8.0'];
        const found = ['acme/b', 'acme/c', 'acme/d', 'acme/e', 'acme/f'];
        await fillAll([
          ...versions.map((version) => ({ source: 'first', name: 'acme/a', version, title: 'other' })),
          { source: 'first', name: 'acme/b', version: '1.0.0', title: 'notes' },
          ...found.map((name) => ({ source: 'second', name, version: '1.0.0', title: 'notes' })),
        ]);
        const names: string[] = [];
        for (let after: { name: string; version: string } | undefined; ; ) {
          const query = { type: 'server', limit: 1, search: 'notes', ...(after ? { after } : {}) } as const;
          const page = await reader.list(await scopeFor('all'), query);
          names.push(...page.rows.map((row) => `${row.name} of ${row.source}`));
          after = page.rows.at(-1);
          if (!page.more) break;
        }
        const expected = found.map((name) => `${name} of ${name === 'acme/b' ? 'first' : 'second'}`);
        expect(names).to.deep.equal(expected);
      });

      it('hides a name whose winner a filter removes, and fills the page with the following names', async () => {
        await fillAll([
          { source: 'first', name: 'acme/a', version: '1.0.0', title: 'hidden' },
          { source: 'second', name: 'acme/a', version: '1.0.0' },
          ...Array.from({ length: 9 }, (_, at) => ({
            source: 'second',
            name: `acme/b${at}`,
            version: '1.0.0',
            title: at % 3 === 0 ? '' : 'hidden',
          })),
        ]);
        const filter = async (entries: readonly Entry[]): Promise<readonly Entry[]> =>
          entries.filter((entry) => entry.document['title'] !== 'hidden');
        expect(await listAll(2, filter)).to.deep.equal([
          ['acme/b0@1.0.0 of second', 'acme/b3@1.0.0 of second'],
          ['acme/b6@1.0.0 of second'],
        ]);
        const scope = { ...(await scopeFor('all')), filter };
        expect(await reader.version(scope, 'server', 'acme/a', 'latest')).to.equal(undefined);
        expect(await reader.version(scope, 'server', 'acme/a', '1.0.0')).to.equal(undefined);
        expect(await reader.versions(scope, 'server', 'acme/a')).to.deep.equal([]);
      });

      it('repeats and skips no unchanged entry when the data changes between two pages', async () => {
        const steady = Array.from({ length: 12 }, (_, at) => ({
          source: 'first',
          name: `acme/steady-${at}`,
          version: '1.0.0',
        }));
        const others = (round: number) =>
          Array.from({ length: 6 }, (_, at) => ({
            source: 'first',
            name: `acme/other-${(at * 7 + round) % 11}`,
            version: '1.0.0',
          }));
        const seen: string[] = [];
        let round = 0;
        for (let after: { name: string; version: string } | undefined; ; round += 1) {
          await fillAll([
            ...steady,
            ...others(round),
            { source: 'first', name: `acme/steady-${round}x`, version: '1.0.0' },
          ]);
          const page = await reader.list(await scopeFor('all'), {
            type: 'server',
            limit: 3,
            ...(after ? { after } : {}),
          });
          seen.push(...page.rows.map((row) => row.name));
          if (!page.more) break;
          after = page.rows.at(-1);
        }
        expect(new Set(seen).size, 'nothing is repeated').to.equal(seen.length);
        expect(seen, 'nothing steady is skipped').to.include.members(steady.map((row) => row.name));
        expect(round).to.be.greaterThan(3);
      });

      it('lists versions by precedence, and takes latest from the same winner (official registry 858)', async () => {
        await fillAll([
          ...['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1', 'nightly'].map((version) => ({
            source: 'second',
            name: 'acme/a',
            version,
          })),
          { source: 'third', name: 'acme/a', version: '9.0.0' },
        ]);
        const scope = await scopeFor('all');
        const versions = (await reader.versions(scope, 'server', 'acme/a')).map((row) => row.version);
        expect(versions).to.deep.equal(['2.0.0-rc.1', '1.10.0', '1.9.0', '1.0.0', 'nightly']);
        expect((await reader.version(scope, 'server', 'acme/a', 'latest'))?.version).to.equal('2.0.0-rc.1');
        expect(await reader.version(scope, 'server', 'acme/a', '9.0.0')).to.equal(undefined);
        expect(await reader.version(scope, 'skill', 'acme/a', 'latest')).to.equal(undefined);
      });

      it('shows a deleted version only on request, and does not restore it', async () => {
        await fillAll([
          { source: 'first', name: 'acme/a', version: '1.0.0' },
          { source: 'first', name: 'acme/a', version: '1.1.0', status: 'deleted' },
          { source: 'first', name: 'acme/gone', version: '1.0.0', status: 'deleted' },
        ]);
        const scope = await scopeFor('all');
        expect((await reader.version(scope, 'server', 'acme/a', 'latest'))?.version).to.equal('1.0.0');
        expect(await reader.version(scope, 'server', 'acme/a', '1.1.0')).to.equal(undefined);
        expect(
          (await reader.version(scope, 'server', 'acme/a', '1.1.0', { includeDeleted: true }))?.status,
        ).to.equal('deleted');
        expect(await reader.versions(scope, 'server', 'acme/gone')).to.deep.equal([]);
        expect(await reader.version(scope, 'server', 'acme/gone', 'latest')).to.equal(undefined);
        expect(
          (await reader.version(scope, 'server', 'acme/gone', 'latest', { includeDeleted: true }))?.version,
        ).to.equal('1.0.0');
      });

      it('lists only entries changed after an instant', async () => {
        const row = { source: 'first', name: 'acme/a', version: '1.0.0' };
        await fillAll([row]);
        const id = ids.get('first') ?? 0;
        await fill(
          store,
          id,
          [row, { name: 'acme/new', version: '1.0.0' }],
          new Date('2026-04-01T00:00:00.000Z'),
        );
        const scope = await scopeFor('all');
        const changedSince = async (instant: string) =>
          (await reader.list(scope, { type: 'server', limit: 10, updatedSince: new Date(instant) })).rows.map(
            (found) => found.name,
          );
        expect(await changedSince('2026-03-15T00:00:00.000Z')).to.deep.equal(['acme/new']);
        expect(await changedSince('2026-04-01T00:00:00.000Z'), 'strictly later').to.deep.equal([]);
        expect(await changedSince('2026-01-01T00:00:00.000Z')).to.deep.equal(['acme/a', 'acme/new']);
      });

      it('returns the lists of a simple scan for any data, filters, callers and page sizes', async function () {
        this.timeout(limitMs(120_000));
        // Words that most entries hold stand beside rare ones, so that pages fill and pages that do not.
        const searchArbitrary = fc.oneof(
          { weight: 2, arbitrary: fc.constantFrom('acme', 'ABOUT', 'a', 'notes') },
          {
            weight: 1,
            arbitrary: fc.constantFrom('no', '100%', '_1', 'under_', '"q', 'i̇stanbul', 'näm', 'zzz', '%'),
          },
        );
        const queryArbitrary = fc.oneof(
          fc.record({ search: searchArbitrary, includeDeleted: fc.boolean() }),
          fc.record(
            {
              search: searchArbitrary,
              version: fc.constantFrom('latest', '1.0.0', 'nightly'),
              includeDeleted: fc.boolean(),
            },
            { requiredKeys: [] },
          ),
        );
        const visibleArbitrary = fc.oneof(
          fc.constant('all' as const),
          fc.subarray([...CLASSES], { minLength: 1 }),
        );
        await fc.assert(
          fc.asyncProperty(
            fc.array(versionArbitrary, { minLength: 5, maxLength: 80, size: 'max' }),
            fc.array(fc.tuple(queryArbitrary, visibleArbitrary, fc.integer({ min: 1, max: 7 })), {
              minLength: 8,
              maxLength: 8,
            }),
            async (drawn, questions) => {
              const rows = consistent(drawn);
              await fillAll(rows);
              for (const [query, visible, limit] of questions) {
                const scope = await scopeFor(visible);
                const found: string[] = [];
                for (let after: { name: string; version: string } | undefined; ; ) {
                  const page = await reader.list(scope, {
                    type: 'server',
                    limit,
                    ...query,
                    ...(after ? { after } : {}),
                  });
                  found.push(...page.rows.map((row) => `${row.name}@${row.version} of ${row.source}`));
                  if (!page.more) break;
                  expect(page.rows.length, 'a page is full while more follows').to.equal(limit);
                  after = page.rows.at(-1);
                }
                expect(found).to.deep.equal(scan(rows, visible, query));
              }
            },
          ),
          trials({ short: 15, long: 1000 }),
        );
      });
    });
  });

forEachEngine((engine) => {
  describe('createRegistryReader with very many sources', () => {
    it('lists and finds the entry of the first source of each name, page by page', async () => {
      const database = await engine.make();
      const store = await openTestStore(database.config);
      try {
        const names = Array.from({ length: 600 }, (_, at) => `source-${at}`);
        const ids = await define(
          store,
          names.map((name) => ({ name })),
          [{ name: 'main', sources: names }],
        );
        for (const at of [3, 300, 599])
          await fill(store, ids.get(`source-${at}`) ?? 0, [
            { name: 'acme/shared', version: '1.0.0' },
            { name: `acme/own-${at}`, version: '1.0.0' },
          ]);
        // As if every source held something: only those are looked at.
        await store.writing.updateTable('sync_status').set({ version_count: 2 }).execute();
        await store.writing
          .updateTable('change')
          .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
          .execute();
        const reader = createRegistryReader(store);
        const registry = (await reader.catalog()).registries.get('main');
        if (registry === undefined) throw new TypeError('the registry "main" is missing');
        const scope: ReadScope = { registry, visible: 'all' };
        const found: string[] = [];
        for (let after: { name: string; version: string } | undefined; ; ) {
          const page = await reader.list(scope, { type: 'server', limit: 2, ...(after ? { after } : {}) });
          found.push(...page.rows.map((row) => `${row.name} of ${row.source}`));
          after = page.rows.at(-1);
          if (!page.more) break;
        }
        expect(found).to.deep.equal([
          'acme/own-3 of source-3',
          'acme/own-300 of source-300',
          'acme/own-599 of source-599',
          'acme/shared of source-3',
        ]);
        const { rows } = await reader.list(scope, { type: 'server', limit: 5, search: 'OWN-3' });
        expect(rows.map((row) => row.name)).to.deep.equal(['acme/own-3', 'acme/own-300']);
        expect((await reader.version(scope, 'server', 'acme/shared', 'latest'))?.source).to.equal('source-3');
      } finally {
        await store.close();
        await database.drop();
      }
    });
  });
});
