import type { CaseName } from './cases.ts';
import type { EngineName } from './databases.ts';
import { BY_CLIENT, type EngineFigures, HAND_WRITTEN, NOT_MODIFIED, type SizeFigures } from './figures.ts';
import type { GitFigures } from './measure-git.ts';
import type { StartUpFigures } from './measure-start-up.ts';
import { ratioOf } from './take-turns.ts';

export interface Goal {
  readonly what: string;
  readonly engine: EngineName | '';
  readonly sense: 'at most' | 'at least';
  readonly limit: number;
  readonly measured: number;
  readonly unit: '' | '×' | '%' | 's' | 'ms' | 'MB';
  readonly passes: boolean;
}

/** Catalogue size of the goals. With fewer entries (`--quick`), only size-independent goals are judged. */
const LARGE = 100_000;

/** Case names of rates that a Node.js client library reaches. */
const PAGE_BY_CLIENT = `first page${BY_CLIENT}`;

/** Maximum import time in seconds. */
const IMPORT_LIMITS: Readonly<Record<EngineName, number>> = { SQLite: 30, PostgreSQL: 60 };

const SCALED: readonly CaseName[] = [
  'first page',
  'version=latest',
  'search, rare word',
  'search, common word',
];

/** Judges every goal that has figures. */
export function judge(
  engines: readonly EngineFigures[],
  startUp: StartUpFigures,
  git: GitFigures | undefined,
): readonly Goal[] {
  return [
    ...engines.flatMap(goalsOfEngine),
    ...(git === undefined ? [] : goalsOfGit(git)),
    most('start to first answer', '', 0.6, startUp.firstAnswerSeconds, 's'),
    most('memory with the example', '', 110, startUp.memory.residentMb, 'MB'),
  ];
}

function goalsOfGit({ unchangedCpuMs, ratio }: GitFigures): readonly Goal[] {
  return [
    most('git sync of an unchanged repository, CPU', '', 100, unchangedCpuMs, 'ms'),
    most('git sync of one changed file of 2,000 against bare git', '', 1.5, ratio),
  ];
}

function goalsOfEngine(figures: EngineFigures): readonly Goal[] {
  return [
    ...goalsOfReads(figures),
    ...goalsOfAuthorization(figures),
    ...goalsOfVersions(figures),
    ...goalsOfApiSync(figures),
    ...goalsOfSyncReads(figures),
    ...goalsOfPages(figures),
  ];
}

/** Uses the CPU time of the server, which excludes the other registry and other load of the machine. */
function goalsOfApiSync({ engine, apiSync }: EngineFigures): readonly Goal[] {
  if (apiSync === undefined) return [];
  const { file, first, incremental, hasWritten } = apiSync;
  return [
    most('api sync: CPU against the same rows from a file', engine, 2.5, first.cpuSeconds / file.cpuSeconds),
    most('api sync: memory over idle', engine, 60, Math.max(...first.curveMb), 'MB'),
    most(
      'api sync without changes: CPU of the first',
      engine,
      5,
      (100 * incremental.cpuSeconds) / first.cpuSeconds,
      '%',
    ),
    most('api sync in full without changes: has written rows', engine, 0, Number(hasWritten), ''),
  ];
}

function goalsOfSyncReads({ engine, syncReads }: EngineFigures): readonly Goal[] {
  if (syncReads === undefined) return [];
  const { calm, during } = syncReads;
  return Object.entries(during).flatMap(([what, { reads }]) => [
    most(`reads during a sync (${what}), p99 against calm`, engine, 2, reads.p99Ms / calm.p99Ms),
    // CPU time excludes other load of the machine, unlike wall time.
    most(
      `reads during a sync (${what}), p99 of the server's work against calm`,
      engine,
      2,
      reads.workP99Ms / calm.workP99Ms,
    ),
  ]);
}

function goalsOfPages({ engine, pages }: EngineFigures): readonly Goal[] {
  if (pages === undefined) return [];
  const { alone, beside, byPage, coldMs } = pages;
  return [
    most('reads beside 100 pages/s, p99 against alone', engine, 1.3, beside.p99Ms / alone.p99Ms),
    // CPU time excludes other load of the machine, unlike wall time.
    most(
      "reads beside 100 pages/s, p99 of the server's work against alone",
      engine,
      1.3,
      beside.workP99Ms / alone.workP99Ms,
    ),
    most('first page of a registry, nobody has asked before', engine, 300, coldMs, 'ms'),
    most('page of a search, p99', engine, 150, byPage['search']?.p99Ms ?? Number.NaN, 'ms'),
  ];
}

/** Judges that a look-up of one version adds little to a cached response. */
function goalsOfVersions({ engine, versions }: EngineFigures): readonly Goal[] {
  if (versions === undefined) return [];
  const { byName, memory } = versions;
  const lookups = Object.keys(byName).filter((name) => `${name}, cached` in byName);
  return [
    ...lookups.map((name) => {
      const own = byName[name]?.cpuUsPerRequest ?? Number.NaN;
      const cached = byName[`${name}, cached`]?.cpuUsPerRequest ?? Number.NaN;
      return most(`one version (${name}): CPU against the cached one`, engine, 1.5, own / cached);
    }),
    most('memory after single versions', engine, 120, memory.residentMb, 'MB'),
  ];
}

function goalsOfAuthorization({ engine, authorized }: EngineFigures): readonly Goal[] {
  if (authorized === undefined) return [];
  return Object.entries(authorized.guarded).map(([name, own]) =>
    least(`${name} with a token against without`, engine, 0.7, ratioOf(own, authorized.open[name])),
  );
}

function goalsOfReads({ engine, sizes, statements }: EngineFigures): readonly Goal[] {
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (small === undefined || large === undefined) return [];
  const at = large.count.toLocaleString('en');
  const page = large.cached[PAGE_BY_CLIENT];
  const goals = [
    least('cached page against the bare server', engine, 0.5, ratioOf(page, large.bare[PAGE_BY_CLIENT])),
    least('304 against a 200', engine, 1.15, ratioOf(large.cached[NOT_MODIFIED + BY_CLIENT], page)),
    most(
      `deep page against the first, ${at}`,
      engine,
      1.3,
      timeRatio(large, 'deep page', large, 'first page'),
    ),
    most(
      'reads during the import, p99',
      engine,
      100,
      Math.max(...sizes.map((size) => size.import.reads.p99Ms)),
      'ms',
    ),
  ];
  if (HAND_WRITTEN in large.uncached) {
    const ratio = timeRatio(large, 'first page', large, HAND_WRITTEN);
    goals.push(most(`uncached page against one hand-written query, ${at}`, engine, 2, ratio));
  }
  for (const name of ['first page', 'one version'] as const) {
    const counted = statements?.[name];
    if (counted !== undefined) goals.push(most(`statements for ${name}`, engine, 4, counted.median, ''));
  }
  return large.count < LARGE ? goals : [...goals, ...goalsOfScale(engine, small, large)];
}

function goalsOfScale(engine: EngineName, small: SizeFigures, large: SizeFigures): readonly Goal[] {
  const goals = [
    most('import of 100,000 entries', engine, IMPORT_LIMITS[engine], large.import.seconds, 's'),
    most('memory after load at 100,000', engine, 200, large.memory.residentMb, 'MB'),
  ];
  if (small === large) return goals;
  const growth = large.import.peakMb / small.import.peakMb;
  const scaled = SCALED.map((name) =>
    most(`${name}, 100,000 against 10,000`, engine, 2.5, timeRatio(large, name, small, name)),
  );
  return [...goals, most('peak memory of the import, 100,000 against 10,000', engine, 2, growth), ...scaled];
}

/** Returns the ratio of two uncached times. */
function timeRatio(one: SizeFigures, name: string, other: SizeFigures, otherName: string): number {
  return 1 / ratioOf(one.uncached[name], other.uncached[otherName]);
}

function most(
  what: string,
  engine: Goal['engine'],
  limit: number,
  measured: number,
  unit: Goal['unit'] = '×',
): Goal {
  return { what, engine, sense: 'at most', limit, measured, unit, passes: measured <= limit };
}

function least(what: string, engine: Goal['engine'], limit: number, measured: number): Goal {
  return { what, engine, sense: 'at least', limit, measured, unit: '×', passes: measured >= limit };
}
