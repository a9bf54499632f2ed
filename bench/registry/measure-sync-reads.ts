import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './databases.ts';
import type { Catalogues, MeasureOptions } from './figures.ts';
import { NAMESPACE, openFilledCluster } from './cluster-objects.ts';
import { serveGitCatalogue } from './git-catalogue.ts';
import { LightReader, type Reads, type ReadTimes, timesOf } from './light-reader.ts';
import { fileSource, waitForEntries, waitUntilIdle } from './start-portolan.ts';
import { freeAddress, type RunningProcess } from './start-process.ts';
import { median } from './statistics.ts';
import { makeSource, readAgain, startStub, startSyncServer, watchSync } from './watch-sync.ts';

/** Reads of another registry during a sync. */
export interface SyncReads {
  readonly seconds: number;
  readonly reads: ReadTimes;
}

export interface SyncReadFigures {
  readonly count: number;
  /** The slower of the calm periods before and after all syncs, because machine noise slows both. */
  readonly calm: ReadTimes;
  /** Reads by kind of sync. */
  readonly during: Readonly<Record<string, SyncReads>>;
}

const SMALL = 'small';
const CALM_MS = 8000;

/** Time in milliseconds that the reader alone needs within half a second on a slow machine. */
const READING_MS = 150;

/** Minimum number of reads for a p99; short syncs are repeated until then. */
const ENOUGH_READS = 500;
const MAX_ROUNDS = 6;

/**
 * Time after the commit that counts as part of a sync, because a checkpoint, statistics and a reload follow
 * it.
 */
const AFTER_MS = 1500;

/** Repeatable kind of sync. */
interface Sync {
  readonly what: string;
  /** Returns the source that shows its end. */
  source(round: number): string;
  begin(round: number): Promise<void>;
}

/**
 * Reads fifty pages a second of a small registry, alone and while sources of each kind sync into the same
 * server.
 */
export async function measureSyncReads(
  engine: Engine,
  { small, large }: Catalogues,
  options: MeasureOptions,
): Promise<SyncReadFigures> {
  const catalogue = large.at(-1) ?? small;
  const folder = path.join(options.folder, `${engine.name}-sync-reads`);
  await mkdir(folder);
  const stub = await startStub(folder, catalogue.file, options.undo);
  const smallStub = await startStub(folder, small.file, options.undo);
  const git = await serveGitCatalogue(path.join(folder, 'git'));
  options.undo.push('the git server', () => git.stop());
  const cluster = await openFilledCluster();
  if (cluster !== undefined) options.undo.push('the API server', () => cluster.stop());
  // The Kubernetes source must be in the configuration. Until its turn, its address leads nowhere.
  const { port: nobody } = await freeAddress();
  const kubeconfigs = rounds((round) => path.join(folder, `kubeconfig-${round}`));
  const dead = await cluster?.kubeconfigWith({ port: Number(nobody) });
  for (const file of kubeconfigs) if (dead !== undefined) await copyFile(dead, file);
  const sources = [
    fileSource(SMALL, small.file),
    ...(cluster === undefined ? [] : kubeconfigs.map((file, round) => clusterSource(file, round))),
  ];
  const server = await startSyncServer(
    { ...options, folder, databaseUrl: await engine.createDatabase(), cached: true },
    options.undo,
    { sources, registries: [{ name: SMALL, sources: [SMALL] }] },
  );
  await waitForEntries(server, SMALL);
  const reader = new LightReader(server, `/registry/${SMALL}/v0.1/servers`);
  const api = { endpoint: stub.url.origin, pageSize: 1000 };
  const repository = { repository: git.url, path: 'servers/*.json', allowHttp: true };
  const firsts = {
    'first-file': { file: { path: small.file } },
    'first-api': { api: { ...api, endpoint: smallStub.url.origin } },
    'first-git': { git: { ...repository, path: 'registry.json' } },
  };
  const made = (what: string, kind: string, block: object): Sync => ({
    what,
    source: (round) => `${kind}-${round}`,
    begin: (round) => makeSource(server, `${kind}-${round}`, { [kind]: block }),
  });
  const again = (what: string, how: 'changes' | 'in full'): Sync => ({
    what,
    source: () => 'api-0',
    begin: () => readAgain(server, 'api-0', how),
  });
  const syncs: Sync[] = [
    made('file', 'file', { path: catalogue.file }),
    made('api', 'api', api),
    again('api, nothing new', 'changes'),
    again('api in full, nothing new', 'in full'),
    made('git, 2,000 files', 'git', repository),
  ];
  if (cluster === undefined) options.say('no cluster is read: scripts/kube-env.sh build makes an API server');
  else
    syncs.push({
      what: 'kubernetes, 2,000 objects',
      source: clusterName,
      begin: async (round) => {
        await copyFile(cluster.kubeconfig, kubeconfigs[round] ?? '');
        await readAgain(server, clusterName(round), 'in full');
      },
    });
  const measure = async (): Promise<SyncReadFigures> => {
    const during: Record<string, SyncReads> = {};
    // Sync each kind once first, because a server loads its code only once.
    for (const [name, kind] of Object.entries(firsts)) {
      await watchSync(server, name, () => makeSource(server, name, kind));
    }
    const before = await calm(server, reader);
    for (const sync of syncs) during[sync.what] = await readDuring(server, reader, sync);
    const after = await calm(server, reader);
    return { count: catalogue.count, calm: before.p99Ms > after.p99Ms ? before : after, during };
  };
  try {
    const figures = await Promise.race([measure(), reader.ended]);
    if (figures === undefined) throw new Error('nobody reads any more');
    return figures;
  } finally {
    await reader.stop();
    await server.stop();
    await cluster?.stop();
    await git.stop();
    await stub.stop();
    await smallStub.stop();
  }
}

function rounds<T>(of: (round: number) => T): readonly T[] {
  return Array.from({ length: MAX_ROUNDS }, (_, round) => of(round));
}

/** Combines the reads of all rounds, with the median duration. */
async function readDuring(server: RunningProcess, reader: LightReader, sync: Sync): Promise<SyncReads> {
  const taken: Reads[] = [];
  const seconds: number[] = [];
  const isEnough = (): boolean => timesOf(taken).count >= ENOUGH_READS;
  for (let round = 0; round < MAX_ROUNDS && !isEnough(); round += 1) {
    await waitUntilIdle(server, { restMs: READING_MS });
    await reader.takeReads();
    const figures = await watchSync(server, sync.source(round), () => sync.begin(round));
    await pause(AFTER_MS);
    seconds.push(figures.seconds);
    taken.push(await reader.takeReads());
  }
  return { seconds: median(seconds), reads: timesOf(taken) };
}

function clusterName(round: number): string {
  return `cluster-${round}`;
}

function clusterSource(kubeconfig: string, round: number): object {
  const kubernetes = {
    kubeconfig,
    namespaces: [NAMESPACE],
    resources: ['services'],
    namePrefix: `bench-${round}`,
  };
  return { name: clusterName(round), kubernetes, syncPolicy: { interval: '24h' } };
}

async function calm(server: RunningProcess, reader: LightReader): Promise<ReadTimes> {
  await waitUntilIdle(server, { restMs: READING_MS });
  await reader.takeReads();
  await pause(CALM_MS);
  return await reader.take();
}
