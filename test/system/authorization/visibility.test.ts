import { expect } from 'chai';
import fc from 'fast-check';
import { ENTRY_TYPES } from '@portolan/plugin-api';
import {
  createRegistryReader,
  type ListQuery,
  type ReadScope,
  type RegistryReader,
  type RowKey,
  type VersionRow,
} from '@portolan/registry';
import { IS_SOAK, limitMs, SEED, trials } from '../../support/soak.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { type Engine, ENGINES, POSTGRES } from '../../support/test-database.ts';
import { type Asking, asking, POLICIES } from './asking.ts';
import {
  entryShows,
  listedRows,
  listedVersions,
  type OracleRegistry,
  type OracleRow,
  pageSizes,
  readVersion,
  registryGatePasses,
} from '../../support/authorization/oracle.ts';
import { type DrawnCaller, drawnCase } from './random-registry.ts';
import { SeededRegistry } from './seeded-registry.ts';

const { numRuns: CASES } = trials({ short: 20, long: 3000 });
/** Number of cases on one database. Classes of claims remain in it, so that later cases take longer. */
const CASES_A_DATABASE = 150;

/**
 * Evaluates the registry gate and the claims of one request like the steps `gateRegistry` and
 * `filterByClaims`.
 */
async function enter(reader: RegistryReader, { mode, caller }: Asking) {
  const catalog = await reader.catalog();
  const registry = catalog.registries.get('main');
  if (registry === undefined) throw new TypeError('the registry "main" is missing');
  const policy = POLICIES[mode];
  const visible = policy.seesEverything(caller)
    ? ('all' as const)
    : [...catalog.claimSets]
        .filter(([, claims]) => policy.decideEntry(caller, registry, { claims }).allowed)
        .map(([id]) => id)
        .toSorted((a, b) => a - b);
  const scope: ReadScope = { registry, visible };
  return { open: policy.decideRegistryAccess(caller, registry).allowed, scope };
}

function shownRow(row: VersionRow): string {
  return `${row.type} ${row.name} ${row.version} of ${row.source}`;
}

function expectedRow({ source, version }: OracleRow): string {
  return `${version.type} ${version.name} ${version.version} of ${source}`;
}

/** Follows the cursor to the end. Each page is a request of its own. */
async function allPages(reader: RegistryReader, who: Asking, query: ListQuery): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: RowKey | undefined; pages.length < 1000; ) {
    const { scope } = await enter(reader, who);
    const page = await reader.list(scope, { ...query, ...(after === undefined ? {} : { after }) });
    pages.push(page.rows.map(shownRow));
    const last = page.rows.at(-1);
    if (!page.more) return pages;
    if (last === undefined) throw new TypeError('an empty page says that more follows');
    after = { name: last.name, version: last.version };
  }
  throw new TypeError('the list does not end');
}

/** Counts of a run, so that its end can check that the comparisons were not empty. */
class Seen {
  cases = 0;
  readers = 0;
  pages = 0;
  rows = 0;
  /** Rows that were hidden by claims or by another source with the name. */
  hidden = 0;
  shadowed = 0;
  gatesOpen = 0;
  /** Names that exist, read individually: shown and hidden. */
  found = 0;
  missed = 0;
}

async function compareLists(
  reader: RegistryReader,
  who: Asking,
  drawn: DrawnCaller,
  world: OracleRegistry,
  seen: Seen,
) {
  const all = world.sources.flatMap(({ versions }) => versions);
  const allowed = all.filter(({ claims }) => entryShows(who.mode, who.oracle, world, claims));
  let shown = 0;
  for (const type of ENTRY_TYPES) {
    const queries = [
      { type },
      { type, search: drawn.search },
      { type, version: 'latest' },
      { type, version: drawn.version },
    ];
    for (const query of queries) {
      const pages = await allPages(reader, who, { ...query, limit: drawn.limit });
      const expected = listedRows(who.mode, who.oracle, world, query).map(expectedRow);
      expect(pages.flat(), JSON.stringify(query)).to.deep.equal(expected);
      expect(
        pages.map((page) => page.length),
        `pages of ${drawn.limit}`,
      ).to.deep.equal(pageSizes(expected.length, drawn.limit));
      seen.pages += pages.length;
      if (query.version === undefined && !('search' in query)) shown += expected.length;
    }
  }
  seen.rows += shown;
  seen.hidden += all.length - shown;
  seen.shadowed += allowed.length - shown;
}

async function compareEntries(
  reader: RegistryReader,
  who: Asking,
  drawn: DrawnCaller,
  world: OracleRegistry,
  seen: Seen,
) {
  const { scope } = await enter(reader, who);
  for (const [type, name] of drawn.names) {
    const rows = await reader.versions(scope, type, name);
    const expected = listedVersions(who.mode, who.oracle, world, type, name);
    expect(rows.map(shownRow), `versions of ${name}`).to.deep.equal(expected.map(expectedRow));
    // All stored versions of any source, one that does not exist, and `latest`.
    const stored = world.sources
      .flatMap(({ versions }) => versions)
      .filter((one) => one.type === type && one.name === name);
    const versions = new Set([...stored.map(({ version }) => version), drawn.version, '9.9.9', 'latest']);
    for (const version of versions) {
      const row = await reader.version(scope, type, name, version);
      const wanted = readVersion(who.mode, who.oracle, world, type, name, version);
      expect(row && shownRow(row), `${name} ${version}`).to.equal(wanted && expectedRow(wanted));
      if (stored.length > 0) seen[row === undefined ? 'missed' : 'found'] += 1;
    }
  }
}

async function compareAll(
  readers: readonly RegistryReader[],
  callers: readonly DrawnCaller[],
  world: OracleRegistry,
  seen: Seen,
): Promise<void> {
  for (const [index, drawn] of callers.entries()) {
    const reader = readers[index % readers.length];
    if (reader === undefined) throw new TypeError('no reader');
    const who = asking(drawn);
    const { open } = await enter(reader, who);
    expect(open, 'the gate').to.equal(registryGatePasses(who.mode, who.oracle, world));
    await compareLists(reader, who, drawn, world, seen);
    await compareEntries(reader, who, drawn, world, seen);
    seen.readers += 1;
    if (open) seen.gatesOpen += 1;
  }
}

for (const engine of ENGINES) {
  describe(`visible entries compared with an independent implementation of the specification, on ${engine}`, () => {
    before(function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    });

    it(`are equal for ${CASES} registries, on every list, page and single read`, async function () {
      this.timeout(limitMs(420_000));
      const seen = new Seen();
      for (let done = 0, seed = SEED; done < CASES; done += CASES_A_DATABASE, seed += 1) {
        const numRuns = Math.min(CASES_A_DATABASE, CASES - done);
        await runCases(engine, { numRuns, seed }, seen);
      }
      if (IS_SOAK) console.log(engine, 'seeds from', SEED, seen);
      expect(seen.cases).to.be.at.least(CASES);
      expect(Math.min(seen.rows, seen.hidden, seen.shadowed), JSON.stringify(seen)).to.be.greaterThan(CASES);
      expect(Math.min(seen.found, seen.missed), JSON.stringify(seen)).to.be.greaterThan(CASES);
    });
  });
}

async function runCases(
  engine: Engine,
  run: { readonly numRuns: number; readonly seed: number },
  seen: Seen,
): Promise<void> {
  const registry = await SeededRegistry.open(engine);
  try {
    const { store } = registry;
    // Small limits of look-ahead and sorting, so that little data reaches every way of finding rows.
    const readers = [
      {},
      { peekRows: 3, maxSorted: 4 },
      { peekRows: 3, maxSorted: 5000 },
      { maxMerged: 1 },
    ].map((limits) => createRegistryReader(store, limits));
    await fc.assert(
      fc.asyncProperty(drawnCase, async (drawn) => {
        const { sources, callers, later } = drawn;
        const world = await registry.seed(drawn);
        await compareAll(readers, callers, world, seen);
        // Sources outside the registry were not read, so they stay out of it.
        const moved = {
          ...later.registry,
          sources: later.registry.sources.filter((name) => drawn.registry.sources.includes(name)),
        };
        const next =
          moved.sources.length > 0 ? moved : { ...later.registry, sources: drawn.registry.sources };
        await registry.relabel(later.claims, next);
        await compareAll(readers, callers.slice(0, 1), registry.expected(sources, later.claims, next), seen);
        seen.cases += 1;
      }),
      run,
    );
  } finally {
    await registry.close();
  }
}
