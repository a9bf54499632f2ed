import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Case, prepareCases, requestOf, revalidationOf } from './cases.ts';
import type { Engine } from './databases.ts';
import {
  BY_CLIENT,
  type FiguresByName,
  type Filled,
  type MeasureOptions,
  NOT_MODIFIED,
  REGISTRY,
  type SizeFigures,
} from './figures.ts';
import type { CatalogueFacts } from './generate.ts';
import { measureImport } from './measure-import.ts';
import { openLoad } from './open-load.ts';
import { memoryOf } from './process-figures.ts';
import { startBareServer } from './start-bare-server.ts';
import { startPortolan, waitUntilIdle } from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';
import { takeTurns } from './take-turns.ts';

const SMALL_REGISTRY = 'small';
const BARE = 'bare ';

/** Fills a new database, checks the responses, and measures cached ones against a bare server. */
export async function fillAndMeasureCached(
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
      const [own, other] = [requestOf(one, server.url), requestOf(same, bare.url)];
      const both = [load.target(server, one.name, [own]), load.target(bare, BARE + one.name, [other])];
      if (at > 0) return both;
      const [own304, other304] = [revalidationOf(one, server.url), revalidationOf(same, bare.url)];
      return [
        ...both,
        load.target(server, NOT_MODIFIED, [own304]),
        load.target(bare, BARE + NOT_MODIFIED, [other304]),
        load.clientTarget(server, one.name + BY_CLIENT, own),
        load.clientTarget(bare, BARE + one.name + BY_CLIENT, other),
        load.clientTarget(server, NOT_MODIFIED + BY_CLIENT, own304),
        load.clientTarget(bare, BARE + NOT_MODIFIED + BY_CLIENT, other304),
      ];
    });
    const figures = await takeTurns(targets, options);
    const isBare = (name: string): boolean => name.startsWith(BARE);
    return {
      cached: Object.fromEntries([...figures].filter(([name]) => !isBare(name))),
      bare: Object.fromEntries(
        [...figures].filter(([name]) => isBare(name)).map(([name, one]) => [name.slice(BARE.length), one]),
      ),
    };
  } finally {
    await load.close();
  }
}

/** Throws without an access log, which is part of the measured cost. */
async function requireAccessLog({ logFile }: RunningProcess, cached: FiguresByName): Promise<void> {
  const requests = Object.values(cached).reduce((sum, one) => sum + one.requests, 0);
  const { size } = await stat(logFile);
  if (size < requests * 100) throw new Error(`the access log has ${size} bytes for ${requests} requests`);
}
