import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Case, type Cases, prepareCases, requestOf, revalidationOf, SCATTERED } from './cases.ts';
import { openStatementCounter } from './count-statements.ts';
import type { Engine, EngineName } from './databases.ts';
import type { CatalogueFacts } from './generate.ts';
import { openHandWrittenQuery } from './hand-written-query.ts';
import { HttpConnection } from './http-connection.ts';
import { type ImportFigures, measureImport } from './measure-import.ts';
import { type MemoryFigures, memoryOf } from './process-figures.ts';
import { type CheckedRequest, runLoad } from './run-load.ts';
import { startBareServer } from './start-bare-server.ts';
import { startPortolan, waitForEntries, waitUntilIdle } from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';
import { median } from './statistics.ts';
import { type Rounds, takeTurns, type Target, type TargetFigures } from './take-turns.ts';
import type { UndoStack } from './undo-stack.ts';

export const NOT_MODIFIED = '304';
export const HAND_WRITTEN = 'hand-written query';

export interface MeasureOptions extends Rounds {
  readonly folder: string;
  readonly built: boolean;
  /** Connections of the load on cached answers. */
  readonly connections: number;
  readonly nodeArgs: readonly string[];
  readonly undo: UndoStack;
  readonly say: (line: string) => void;
}

/** A small catalogue to read from while a large one is imported, and the large ones. */
export interface Catalogues {
  readonly small: CatalogueFacts;
  readonly large: readonly CatalogueFacts[];
}

export type FiguresByName = Readonly<Record<string, TargetFigures>>;

export interface SizeFigures {
  readonly count: number;
  readonly import: ImportFigures;
  /** By case, and `304`. */
  readonly cached: FiguresByName;
  readonly bare: FiguresByName;
  /** By case, and `hand-written query`; one request at a time. */
  readonly uncached: FiguresByName;
  /** Of the process that imported and then served all cases. */
  readonly memory: MemoryFigures;
  /** Of one that found its data in the database, and served without a cache. */
  readonly memoryUncached: MemoryFigures;
}

export interface StatementFigures {
  readonly median: number;
  readonly most: number;
}

export interface EngineFigures {
  readonly engine: EngineName;
  readonly sizes: readonly SizeFigures[];
  /** SQL statements of one request by case, nothing cached; only where they can be counted. */
  readonly statements: Readonly<Record<string, StatementFigures>> | undefined;
}

interface Filled {
  readonly facts: CatalogueFacts;
  readonly databaseUrl: string;
  readonly cases: Cases;
  readonly figures: Omit<SizeFigures, 'uncached' | 'memoryUncached'>;
}

const REGISTRY = 'catalogue';
const SMALL_REGISTRY = 'small';
const REQUESTS_COUNTED = 20;

/** Everything about one engine. Throws when any answer is wrong. */
export async function measureEngine(
  engine: Engine,
  catalogues: Catalogues,
  options: MeasureOptions,
): Promise<EngineFigures> {
  const filled: Filled[] = [];
  for (const facts of catalogues.large) {
    options.say(`${engine.name}, ${facts.count} entries: import, then cached reads`);
    filled.push(await fillAndMeasureCached(engine, catalogues.small, facts, options));
  }
  options.say(`${engine.name}: reads without a cache`);
  const sizes = await measureUncached(engine, filled, options);
  const largest = filled.at(-1);
  const countable = engine.name === 'PostgreSQL' && largest !== undefined;
  return {
    engine: engine.name,
    sizes,
    statements: countable ? await countStatements(largest, options) : undefined,
  };
}

async function fillAndMeasureCached(
  engine: Engine,
  small: CatalogueFacts,
  facts: CatalogueFacts,
  options: MeasureOptions,
): Promise<Filled> {
  const { undo } = options;
  const folder = path.join(options.folder, `${engine.name}-${facts.count}`);
  await mkdir(folder);
  const databaseUrl = await engine.createDatabase();
  const catalogueFiles = { [SMALL_REGISTRY]: small.file, [REGISTRY]: facts.file };
  const server = await startPortolan({
    ...options,
    folder,
    databaseUrl,
    catalogues: catalogueFiles,
    cached: true,
  });
  undo.push('portolan serve', () => server.stop());
  const imported = await measureImport(server, { small: SMALL_REGISTRY, large: REGISTRY }, facts.count);
  const cases = await prepareCases(server.url, REGISTRY, facts);
  const bare = await startBareServer(
    folder,
    new Map(cases.single.map(({ body }, at) => [`case-${at}`, body])),
  );
  undo.push('the bare server', () => bare.stop());
  await waitUntilIdle(server);
  const reads = await measureCached(server, bare, cases.single, options);
  const memory = memoryOf(server.pid);
  await requireAccessLog(server, reads.cached);
  await server.stop();
  await bare.stop();
  return { facts, databaseUrl, cases, figures: { count: facts.count, import: imported, memory, ...reads } };
}

async function measureCached(
  server: RunningProcess,
  bare: RunningProcess,
  cases: readonly Case[],
  options: MeasureOptions,
): Promise<Pick<SizeFigures, 'cached' | 'bare'>> {
  const load = openLoad(options.connections);
  try {
    const targets = cases.flatMap((one, at) => {
      const same: Case = { ...one, path: `/case-${at}`, etag: `W/"case-${at}"` };
      const pairs = [
        load.target(server, one.name, [requestOf(one, server.url)]),
        load.target(bare, `bare ${one.name}`, [requestOf(same, bare.url)]),
      ];
      if (at > 0) return pairs;
      return [
        ...pairs,
        load.target(server, NOT_MODIFIED, [revalidationOf(one, server.url)]),
        load.target(bare, `bare ${NOT_MODIFIED}`, [revalidationOf(same, bare.url)]),
      ];
    });
    const figures = await takeTurns(targets, options);
    const isBare = (name: string): boolean => name.startsWith('bare ');
    return {
      cached: Object.fromEntries([...figures].filter(([name]) => !isBare(name))),
      bare: Object.fromEntries(
        [...figures].filter(([name]) => isBare(name)).map(([name, one]) => [name.slice(5), one]),
      ),
    };
  } finally {
    load.close();
  }
}

/** All sizes in turns, so that they can be compared with each other. */
async function measureUncached(
  engine: Engine,
  filled: readonly Filled[],
  options: MeasureOptions,
): Promise<readonly SizeFigures[]> {
  const load = openLoad(1);
  const wide = openLoad(options.connections);
  const targets: Target[] = [];
  const servers: RunningProcess[] = [];
  const queries: { close(): Promise<void> }[] = [];
  try {
    for (const { facts, databaseUrl, cases } of filled) {
      const catalogues = { [REGISTRY]: facts.file };
      const server = await startPortolan({ ...options, databaseUrl, catalogues, cached: false });
      options.undo.push('portolan serve', () => server.stop());
      servers.push(server);
      await waitForEntries(server, REGISTRY);
      await waitUntilIdle(server);
      const at = (name: string): string => `${facts.count} ${name}`;
      targets.push(
        ...cases.single.map((one) => load.target(server, at(one.name), [requestOf(one, server.url)])),
        wide.target(
          server,
          at(SCATTERED),
          cases.scattered.map((one) => requestOf(one, server.url)),
        ),
      );
      const [first] = cases.single;
      if (engine.name !== 'PostgreSQL' || first === undefined) continue;
      const query = await openHandWrittenQuery(databaseUrl, REGISTRY, first.body);
      queries.push(query);
      targets.push({ name: at(HAND_WRITTEN), run: (durationMs) => query.run(durationMs) });
    }
    const figures = await takeTurns(targets, options);
    return filled.map(({ facts, figures: others }, at) => {
      const prefix = `${facts.count} `;
      const own = [...figures].filter(([name]) => name.startsWith(prefix));
      const uncached = Object.fromEntries(own.map(([name, one]) => [name.slice(prefix.length), one]));
      // SAFETY: one server was started for each.
      return { ...others, uncached, memoryUncached: memoryOf((servers[at] as RunningProcess).pid) };
    });
  } finally {
    load.close();
    wide.close();
    for (const query of queries) await query.close();
    for (const server of servers) await server.stop();
  }
}

/** Asks each case several times and looks at what arrives at the database. */
async function countStatements(
  { facts, databaseUrl, cases }: Filled,
  options: MeasureOptions,
): Promise<Readonly<Record<string, StatementFigures>>> {
  const counter = await openStatementCounter(databaseUrl);
  options.undo.push('the statement counter', () => counter.close());
  const catalogues = { [REGISTRY]: facts.file };
  const server = await startPortolan({ ...options, databaseUrl: counter.url, catalogues, cached: false });
  options.undo.push('portolan serve', () => server.stop());
  await waitForEntries(server, REGISTRY);
  await waitUntilIdle(server);
  const connection = new HttpConnection(server.url);
  const counted: Record<string, StatementFigures> = {};
  for (const one of cases.single) {
    const { request, expected } = requestOf(one, server.url);
    const counts: number[] = [];
    for (let sent = 0; sent < REQUESTS_COUNTED; sent += 1) {
      const before = counter.count();
      await connection.send(request, expected);
      counts.push(counter.count() - before);
    }
    // The scheduler asks the database now and then; the median does not see it.
    counted[one.name] = { median: median(counts), most: Math.max(...counts) };
  }
  connection.close();
  await server.stop();
  await counter.close();
  return counted;
}

/** A server that logs nothing would be measured for less than it does. */
async function requireAccessLog({ logFile }: RunningProcess, cached: FiguresByName): Promise<void> {
  const requests = Object.values(cached).reduce((sum, one) => sum + one.requests, 0);
  const { size } = await stat(logFile);
  if (size < requests * 100) throw new Error(`the access log has ${size} bytes for ${requests} requests`);
}

/** Connections to each server that is measured, opened when first used. */
function openLoad(count: number) {
  const pools = new Map<RunningProcess, readonly HttpConnection[]>();
  return {
    target(server: RunningProcess, name: string, requests: readonly CheckedRequest[]): Target {
      const pool = pools.get(server) ?? Array.from({ length: count }, () => new HttpConnection(server.url));
      pools.set(server, pool);
      return { name, pid: server.pid, run: (durationMs) => runLoad(pool, requests, durationMs) };
    },
    close(): void {
      for (const pool of pools.values()) for (const connection of pool) connection.close();
    },
  };
}
