import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { versionPath } from './authorized-cases.ts';
import { ADMIN_ROLE, EVERYBODY, startCallers } from './callers.ts';
import type { Engine } from './databases.ts';
import { type MeasureOptions, REGISTRY, type VersionFigures } from './figures.ts';
import { documentAt, randomFrom } from './generate.ts';
import { HttpConnection, wireRequest } from './http-connection.ts';
import { openLoad } from './open-load.ts';
import { memoryOf } from './process-figures.ts';
import type { CheckedRequest } from './run-load.ts';
import { fileSource, startPortolanOver, waitUntilIdle } from './start-portolan.ts';
import { type RunningProcess, waitForResponse } from './start-process.ts';
import { takeTurns } from './take-turns.ts';
import { type TeamCatalogues, type TeamKey, teamNames, writeTeamCatalogues } from './team-catalogues.ts';

/** Size of the registry, fixed because the goals refer to it. */
const COUNT = 10_000;
const NAMES = 1000;
const TEAMS = 4;
/** Number of readers, so that some are in exactly two teams. */
const READERS = 20;
const IMPORT_MS = 300_000;

type Headers = Readonly<Record<string, string>>;

/**
 * Measures single versions of a thousand names in random order, with and without the page cache. One visitor
 * is anonymous, the other sees half of four classes. Throws for a wrong response.
 */
export async function measureVersions(engine: Engine, options: MeasureOptions): Promise<VersionFigures> {
  const folder = path.join(options.folder, `${engine.name}-versions`);
  await mkdir(folder);
  const teams = teamNames(TEAMS);
  const catalogues = await writeTeamCatalogues(path.join(folder, 'catalogues'), COUNT, teams);
  const callers = await startCallers(READERS, teams, []);
  options.undo.push('the issuer', () => callers.close());
  const half = callers.readers.find(({ teams: own }) => own.size === TEAMS / 2);
  if (half === undefined) throw new RangeError('no caller sees half');
  const { issuerUrl, audience } = callers;
  const guard = {
    mode: 'oauth',
    oauth: { providers: [{ name: 'bench', issuerUrl, audience, allowPrivateIP: true }] },
    authz: { roles: { superAdmin: [{ role: ADMIN_ROLE }] } },
  };
  const sources = [...catalogues.files].map(([team, file]) => ({
    ...fileSource(team, file),
    claims: { ...EVERYBODY, team },
  }));
  const registries = [{ name: REGISTRY, sources: teams, claims: EVERYBODY }];
  const load = openLoad(options.connections);
  const servers: RunningProcess[] = [];
  /** Fills a database, then serves it without and with a cache. */
  const targetsOf = async (who: string, auth: object, asker: { all: Headers; own: Headers }) => {
    const databaseUrl = await engine.createDatabase();
    const keys =
      who === 'half' ? catalogues.keys.filter(({ team }) => half.teams.has(team)) : catalogues.keys;
    const targets = [];
    for (const cached of [false, true]) {
      const server = await startPortolanOver(
        { sources, registries, auth },
        { ...options, folder, cached, databaseUrl },
      );
      servers.push(server);
      options.undo.push('portolan serve', () => server.stop());
      await waitForTeams(server, catalogues, asker.all);
      for (const which of ['exact', 'latest'] as const) {
        const requests = await checkedRequests(server, pick(keys), which, asker.own);
        targets.push(load.target(server, `${which}, ${who}${cached ? ', cached' : ''}`, requests));
      }
    }
    return targets;
  };
  try {
    const targets = [
      ...(await targetsOf('all', { mode: 'anonymous' }, { all: {}, own: {} })),
      ...(await targetsOf('half', guard, { all: callers.admin.headers, own: half.headers })),
    ];
    const byName = Object.fromEntries(await takeTurns(targets, options));
    // Maximum memory of the two uncached servers.
    const memories = servers.filter((_, at) => at % 2 === 0).map(({ pid }) => memoryOf(pid));
    const [memory] = memories.toSorted((a, b) => b.residentMb - a.residentMb);
    if (memory === undefined) throw new TypeError('no server was started');
    return { count: COUNT, byName, memory };
  } finally {
    await load.close();
    for (const server of servers) await server.stop();
    await callers.close();
  }
}

/** Waits until each source has an entry; a source is written in one transaction. */
async function waitForTeams(
  server: RunningProcess,
  { files, keys }: TeamCatalogues,
  headers: Headers,
): Promise<void> {
  for (const team of files.keys()) {
    const key = keys.find((one) => one.team === team);
    if (key === undefined) throw new RangeError(`${team} has no entry`);
    const isThere = (status: number): boolean => status === 200;
    await waitForResponse(server, versionPath(key), isThere, { deadlineMs: IMPORT_MS, headers });
  }
  await waitUntilIdle(server);
}

function pick(keys: readonly TeamKey[]): readonly TeamKey[] {
  const random = randomFrom(keys.length);
  // SAFETY: the index is below its length.
  return Array.from({ length: NAMES }, () => keys[Math.floor(random() * keys.length)] as TeamKey);
}

/** Returns requests in random order. Throws when a response differs from the generated entry. */
async function checkedRequests(
  server: RunningProcess,
  keys: readonly TeamKey[],
  which: 'exact' | 'latest',
  headers: Headers,
): Promise<readonly CheckedRequest[]> {
  const connection = new HttpConnection(server.url);
  const requests: CheckedRequest[] = [];
  try {
    for (const key of keys) {
      const exact = versionPath(key);
      const asked = which === 'exact' ? exact : exact.replace(/[^/]+$/, 'latest');
      const request = wireRequest(server.url, asked, headers);
      const { status, body } = await connection.send(request);
      const { name, version } = documentAt(key.index, COUNT);
      const wanted = which === 'exact' ? [name, version] : [name];
      const isRight = wanted.every((text) => body.includes(JSON.stringify(text)));
      if (status !== 200 || !isRight)
        throw new Error(`${asked}: status ${status}, ${body.toString('utf8', 0, 200)}`);
      requests.push({ request, expected: { status, body } });
    }
  } finally {
    connection.close();
  }
  return requests;
}
