import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './databases.ts';
import type { Catalogues, MeasureOptions } from './figures.ts';
import { NAMESPACE, openFilledCluster } from './cluster-objects.ts';
import { serveGitCatalogue } from './git-catalogue.ts';
import { LightReader, type ReadTimes } from './light-reader.ts';
import { fileSource, waitForEntries, waitUntilIdle } from './start-portolan.ts';
import { freeAddress, type RunningProcess } from './start-process.ts';
import { makeSource, readAgain, startStub, startSyncServer, watchSync } from './watch-sync.ts';

/** Reads of another registry while a source is synced. */
export interface SyncReads {
  readonly seconds: number;
  readonly reads: ReadTimes;
}

export interface SyncReadFigures {
  readonly count: number;
  /** The slower of the calm before and the calm after all syncs: a machine that is not calm slows both. */
  readonly calm: ReadTimes;
  /** By what is synced. */
  readonly during: Readonly<Record<string, SyncReads>>;
}

const SMALL = 'small';
const CLUSTER = 'cluster';
const CALM_MS = 8000;

/** What the reader alone costs in half a second, on a slow machine. */
const READING_MS = 150;

/** Reads fifty pages a second of a small registry, alone and while sources of each kind are read into the same server. */
export async function measureSyncReads(
  engine: Engine,
  { small, large }: Catalogues,
  options: MeasureOptions,
): Promise<SyncReadFigures> {
  const catalogue = large.at(-1) ?? small;
  const folder = path.join(options.folder, `${engine.name}-sync-reads`);
  await mkdir(folder);
  const stub = await startStub(folder, catalogue.file, options.undo);
  const git = await serveGitCatalogue(path.join(folder, 'git'));
  options.undo.push('the git server', () => git.stop());
  const cluster = await openFilledCluster();
  if (cluster !== undefined) options.undo.push('the API server', () => cluster.stop());
  const kubeconfig = path.join(folder, 'kubeconfig');
  // A source with a kubeconfig stands in the configuration: until it is wanted, it leads to nobody.
  const { port: nobody } = await freeAddress();
  if (cluster !== undefined)
    await copyFile(await cluster.kubeconfigWith({ port: Number(nobody) }), kubeconfig);
  const sources = [
    fileSource(SMALL, small.file),
    ...(cluster === undefined ? [] : [clusterSource(kubeconfig)]),
  ];
  const server = await startSyncServer(
    { ...options, folder, databaseUrl: await engine.createDatabase(), cached: true },
    options.undo,
    { sources, registries: [{ name: SMALL, sources: [SMALL] }] },
  );
  await waitForEntries(server, SMALL);
  const reader = new LightReader(server, `/registry/${SMALL}/v0.1/servers`);
  const reading = reader.run();
  const api = { endpoint: stub.url.origin, pageSize: 1000 };
  const repository = { repository: git.url, path: 'servers/*.json', allowHttp: true };
  const syncs: (readonly [string, string, () => Promise<void>])[] = [
    ['file', 'file', () => makeSource(server, 'file', { file: { path: catalogue.file } })],
    ['api', 'api', () => makeSource(server, 'api', { api })],
    ['api, nothing new', 'api', () => readAgain(server, 'api', 'changes')],
    ['api in full, nothing new', 'api', () => readAgain(server, 'api', 'in full')],
    ['git, 2,000 files', 'git', () => makeSource(server, 'git', { git: repository })],
  ];
  if (cluster === undefined) options.say('no cluster is read: scripts/kube-env.sh build makes an API server');
  else
    syncs.push([
      'kubernetes, 2,000 objects',
      CLUSTER,
      async () => {
        await copyFile(cluster.kubeconfig, kubeconfig);
        await readAgain(server, CLUSTER, 'in full');
      },
    ]);
  const measure = async (): Promise<SyncReadFigures> => {
    const during: Record<string, SyncReads> = {};
    const before = await calm(server, reader);
    for (const [what, source, begin] of syncs) {
      await waitUntilIdle(server, { restMs: READING_MS });
      reader.take();
      const { seconds } = await watchSync(server, source, begin);
      // What follows the commit (a checkpoint, statistics, a reload) counts as part of it for who reads.
      await pause(1500);
      during[what] = { seconds, reads: reader.take() };
    }
    const after = await calm(server, reader);
    return { count: catalogue.count, calm: before.p99Ms > after.p99Ms ? before : after, during };
  };
  try {
    const figures = await Promise.race([measure(), reading]);
    if (figures === undefined) throw new Error('nobody reads any more');
    return figures;
  } finally {
    reader.stop();
    await reading;
    await server.stop();
    await cluster?.stop();
    await git.stop();
    await stub.stop();
  }
}

function clusterSource(kubeconfig: string): object {
  const kubernetes = { kubeconfig, namespaces: [NAMESPACE], resources: ['services'], namePrefix: 'bench' };
  return { name: CLUSTER, kubernetes, syncPolicy: { interval: '24h' } };
}

async function calm(server: RunningProcess, reader: LightReader): Promise<ReadTimes> {
  await waitUntilIdle(server, { restMs: READING_MS });
  reader.take();
  await pause(CALM_MS);
  return reader.take();
}
