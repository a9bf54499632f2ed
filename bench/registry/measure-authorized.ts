import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { prepareAuthorizedCases, type RequestsByCase, versionPath } from './authorized-cases.ts';
import { ADMIN_ROLE, type Callers, EVERYBODY, PUBLISHER_ROLE, startCallers } from './callers.ts';
import type { Engine } from './databases.ts';
import { type AuthorizedFigures, type FiguresByName, type MeasureOptions, REGISTRY } from './figures.ts';
import { measureWrites } from './measure-writes.ts';
import { openLoad } from './open-load.ts';
import { memoryOf } from './process-figures.ts';
import { type Contents, fileSource, startPortolanOver, waitUntilIdle } from './start-portolan.ts';
import { type RunningProcess, waitForResponse } from './start-process.ts';
import { takeTurns } from './take-turns.ts';
import { type TeamCatalogues, teamNames, writeTeamCatalogues } from './team-catalogues.ts';

const CLASSES = 50;
const READERS = 200;
const WRITERS = ['writers', 'editors'] as const;
const IMPORT_MS = 300_000;
/** Suffix of uncached case names. */
const UNCACHED = ', nothing cached';

/**
 * Two servers with the same data: one without authentication, one that shows each caller only its classes.
 */
interface Pair<Each> {
  readonly open: Each;
  readonly guarded: Each;
}

interface Setting {
  readonly contents: Contents;
  readonly databaseUrl: string;
  /** Header lines of a caller who sees everything. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Measures the cost of tokens and claims: fifty classes of entries and two hundred callers with one to three
 * classes, compared with an open server. Throws for a wrong response.
 */
export async function measureAuthorized(
  engine: Engine,
  count: number,
  options: MeasureOptions,
): Promise<AuthorizedFigures> {
  const folder = path.join(options.folder, `${engine.name}-authorized`);
  await mkdir(folder);
  const teams = teamNames(CLASSES);
  const catalogues = await writeTeamCatalogues(path.join(folder, 'catalogues'), count, teams);
  const callers = await startCallers(READERS, teams, WRITERS);
  options.undo.push('the issuer', () => callers.close());
  const settings = await settingsOf(engine, catalogues, callers);
  const run = async <T>(cached: boolean, measure: Measurement<T>): Promise<T> => {
    const start = (setting: Setting) => startAndFill(setting, catalogues, { ...options, folder, cached });
    const pair = { open: await start(settings.open), guarded: await start(settings.guarded) };
    const result = await measure(pair, await requestsOf(pair, catalogues, callers));
    await pair.open.stop();
    await pair.guarded.stop();
    return result;
  };
  // One request at a time, because a server shares the look-up of concurrent requests for one page.
  const uncached = await run(false, (pair, requests) =>
    measureReads(pair, requests, UNCACHED, { ...options, connections: 1 }),
  );
  const { reads, memory, writes } = await run(true, (pair, requests) =>
    measureCached(pair, requests, callers, options),
  );
  await callers.close();
  return {
    count,
    guarded: { ...reads.guarded, ...uncached.guarded },
    open: { ...reads.open, ...uncached.open },
    memory,
    writes,
  };
}

type Measurement<T> = (pair: Pair<RunningProcess>, requests: Pair<RequestsByCase>) => Promise<T>;

async function measureCached(
  pair: Pair<RunningProcess>,
  requests: Pair<RequestsByCase>,
  { publisher }: Callers,
  options: MeasureOptions,
) {
  const reads = await measureReads(pair, requests, '', options);
  const memory = memoryOf(pair.guarded.pid);
  const writes = await measureWrites(pair.guarded, {
    publisher,
    writers: WRITERS,
    reads: requests.guarded['first page'],
    connections: options.connections,
    count: options.writes,
  });
  return { reads, memory, writes };
}

async function settingsOf(
  engine: Engine,
  catalogues: TeamCatalogues,
  callers: Callers,
): Promise<Pair<Setting>> {
  return {
    open: {
      contents: contentsOf(catalogues, { mode: 'anonymous' }),
      databaseUrl: await engine.createDatabase(),
      headers: {},
    },
    guarded: {
      contents: contentsOf(catalogues, authOf(callers)),
      databaseUrl: await engine.createDatabase(),
      headers: callers.admin.headers,
    },
  };
}

/** Returns one source per team, and one to publish to, which no reader can see. */
function contentsOf({ files }: TeamCatalogues, auth: object): Contents {
  const published = { name: 'published', managed: {}, claims: EVERYBODY };
  const ofTeams = [...files].map(([team, file]) => ({
    ...fileSource(team, file),
    claims: { ...EVERYBODY, team },
  }));
  return {
    sources: [published, ...ofTeams],
    registries: [{ name: REGISTRY, sources: ['published', ...files.keys()], claims: EVERYBODY }],
    auth,
  };
}

function authOf({ issuerUrl, audience }: Callers): object {
  return {
    mode: 'oauth',
    oauth: { providers: [{ name: 'bench', issuerUrl, audience, allowPrivateIP: true }] },
    authz: { roles: { superAdmin: [{ role: ADMIN_ROLE }], manageEntries: [{ role: PUBLISHER_ROLE }] } },
  };
}

async function startAndFill(
  { contents, databaseUrl, headers }: Setting,
  { files, keys }: TeamCatalogues,
  options: MeasureOptions & { readonly cached: boolean },
): Promise<RunningProcess> {
  const server = await startPortolanOver(contents, { ...options, databaseUrl });
  options.undo.push('portolan serve', () => server.stop());
  for (const team of files.keys()) {
    const key = keys.find((one) => one.team === team);
    if (key === undefined) throw new RangeError(`${team} has no entry`);
    // A source is written in one transaction, so one visible entry means that all are.
    await waitForResponse(server, versionPath(key), (status) => status === 200, {
      deadlineMs: IMPORT_MS,
      headers,
    });
  }
  await waitUntilIdle(server);
  return server;
}

async function requestsOf(
  { open, guarded }: Pair<RunningProcess>,
  catalogues: TeamCatalogues,
  { readers }: Callers,
): Promise<Pair<RequestsByCase>> {
  return {
    open: await prepareAuthorizedCases(open.url, catalogues, { anonymous: READERS }),
    guarded: await prepareAuthorizedCases(guarded.url, catalogues, readers),
  };
}

async function measureReads(
  pair: Pair<RunningProcess>,
  requests: Pair<RequestsByCase>,
  suffix: string,
  options: MeasureOptions,
): Promise<Pair<FiguresByName>> {
  const load = openLoad(options.connections);
  const targetsOf = (side: keyof Pair<unknown>) =>
    Object.entries(requests[side]).map(([name, list]) => load.target(pair[side], `${side} ${name}`, list));
  try {
    const figures = await takeTurns([...targetsOf('open'), ...targetsOf('guarded')], options);
    const figuresOf = (side: keyof Pair<unknown>): FiguresByName => {
      const own = [...figures].filter(([name]) => name.startsWith(`${side} `));
      return Object.fromEntries(own.map(([name, one]) => [name.slice(side.length + 1) + suffix, one]));
    };
    return { open: figuresOf('open'), guarded: figuresOf('guarded') };
  } finally {
    await load.close();
  }
}
