import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from './databases.ts';
import type { MeasureOptions } from './figures.ts';
import type { CatalogueFacts } from './generate.ts';
import { cpuMs, type MemoryFigures, memoryOf } from './process-figures.ts';
import { waitUntilIdle } from './start-portolan.ts';
import { markOfRows, sizeOfDatabase } from './database-marks.ts';
import {
  makeSource,
  readAgain,
  startStub,
  startSyncServer,
  type SyncFigures,
  watchSync,
} from './watch-sync.ts';

/** Cost of reading another registry, compared with the same rows from a file. */
export interface ApiSyncFigures {
  readonly count: number;
  readonly file: SyncFigures;
  readonly first: SyncFigures;
  /** CPU time of the other registry during the sync. */
  readonly stubCpuSeconds: number;
  readonly incremental: SyncFigures;
  readonly full: SyncFigures;
  /** Whether a full sync without changes wrote any row. */
  readonly hasWritten: boolean;
  /** Memory of a server without entries, and of the same one after it has read the file. */
  readonly idle: MemoryFigures;
  readonly filled: MemoryFigures;
  readonly databaseMb: number;
}

const SOURCE = 'rows';

export async function measureApiSync(
  engine: Engine,
  { file: catalogue, count }: CatalogueFacts,
  options: MeasureOptions,
): Promise<ApiSyncFigures> {
  const folder = path.join(options.folder, `${engine.name}-api-sync`);
  await mkdir(folder);
  const stub = await startStub(folder, catalogue, options.undo);
  const start = async (databaseUrl: string) =>
    await startSyncServer({ ...options, folder, databaseUrl, cached: true }, options.undo);
  const fromFile = await start(await engine.createDatabase());
  const idle = memoryOf(fromFile.pid);
  const file = await watchSync(fromFile, SOURCE, () =>
    makeSource(fromFile, SOURCE, { file: { path: catalogue } }),
  );
  await waitUntilIdle(fromFile);
  const filled = memoryOf(fromFile.pid);
  await fromFile.stop();
  const databaseUrl = await engine.createDatabase();
  const server = await start(databaseUrl);
  const stubBefore = cpuMs(stub.pid);
  const api = { endpoint: stub.url.origin, pageSize: 1000 };
  const first = await watchSync(server, SOURCE, () => makeSource(server, SOURCE, { api }));
  const stubCpuSeconds = (cpuMs(stub.pid) - stubBefore) / 1000;
  const mark = await markOfRows(databaseUrl);
  const incremental = await watchSync(server, SOURCE, () => readAgain(server, SOURCE, 'changes'));
  const full = await watchSync(server, SOURCE, () => readAgain(server, SOURCE, 'in full'));
  const hasWritten = (await markOfRows(databaseUrl)) !== mark;
  await server.stop();
  await stub.stop();
  const databaseMb = await sizeOfDatabase(databaseUrl);
  return { count, file, first, stubCpuSeconds, incremental, full, hasWritten, idle, filled, databaseMb };
}
