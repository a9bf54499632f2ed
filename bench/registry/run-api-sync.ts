// npm run bench:api-sync: what it costs to read another registry, beside the same rows from a file.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeCatalogue } from './generate.ts';
import { cpuMs, memoryOf } from './process-figures.ts';
import { startPortolanOver, waitUntilIdle } from './start-portolan.ts';
import { freeAddress, type RunningProcess, startNode, waitForAnswer } from './start-process.ts';
import { UndoStack } from './undo-stack.ts';

const { values: flags } = parseArgs({ options: { count: { type: 'string', default: '100000' } } });
const COUNT = Number(flags.count);
const SAMPLE_MS = 250;

const undo = new UndoStack();
try {
  await main();
} finally {
  await undo.run();
}

interface SyncFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Memory without mapped files over that before, in MB, at equal distances. */
  readonly curveMb: readonly number[];
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-bench-'));
  undo.push('the folder', () => rm(folder, { recursive: true, force: true }));
  const catalogue = path.join(folder, 'catalogue.json');
  await writeCatalogue(catalogue, COUNT);
  const stub = await startStub(folder, catalogue);
  const fromFile = await startServer(folder, 'file');
  const file = await measure(fromFile, () => put(fromFile, { file: { path: catalogue } }));
  await fromFile.stop();
  const server = await startServer(folder, 'api');
  const stubBefore = cpuMs(stub.pid);
  const endpoint = stub.url.href.replace(/\/$/, '');
  const first = await measure(server, () => put(server, { api: { endpoint, pageSize: 1000 } }));
  const stubSeconds = (cpuMs(stub.pid) - stubBefore) / 1000;
  const tag = await tagOf(server);
  const incremental = await measure(server, () => post(server, ''));
  const full = await measure(server, () => post(server, '?full=true'));
  const isUntouched = (await tagOf(server)) === tag;
  const peak = Math.max(...first.curveMb);
  print([
    [`${COUNT} rows from a file`, shown(file)],
    [`${COUNT} rows from a registry, 1000 a page`, shown(first)],
    ['of that, CPU of the other side', `${stubSeconds.toFixed(2)} s`],
    ['CPU against the file (goal: at most 2.5)', `${(first.cpuSeconds / file.cpuSeconds).toFixed(2)} ×`],
    ['memory over idle at most (goal: at most 60)', `${peak.toFixed(0)} MB`],
    ['its curve', first.curveMb.map((mb) => mb.toFixed(0)).join(' ')],
    ['memory over idle at most, from the file', `${Math.max(...file.curveMb).toFixed(0)} MB`],
    ['sync without changes', shown(incremental)],
    ['its CPU of the first (goal: at most 0.05)', (incremental.cpuSeconds / first.cpuSeconds).toFixed(3)],
    ['read of everything, unchanged', shown(full)],
    ['it has written no row', String(isUntouched)],
  ]);
}

async function startStub(folder: string, catalogue: string): Promise<RunningProcess> {
  const url = await freeAddress();
  const stub = startNode(url, {
    args: [
      path.join(import.meta.dirname, 'stub-registry.ts'),
      `--catalogue=${catalogue}`,
      `--port=${url.port}`,
    ],
    environment: {},
    logFile: path.join(folder, 'stub.log'),
  });
  undo.push('the other side', () => stub.stop());
  await waitForAnswer(stub, '/v0.1/servers?limit=1', (status) => status === 200);
  return stub;
}

/** A server without entries, whose sources may read what this machine has. */
async function startServer(folder: string, name: string): Promise<RunningProcess> {
  const contents = {
    sources: [{ name: 'own', managed: {} }],
    registries: [{ name: 'own', sources: ['own'] }],
    auth: { mode: 'anonymous' },
    apiSources: { allowPrivateAddresses: true, allowedDirectories: [folder] },
  };
  const server = await startPortolanOver(contents, {
    folder,
    databaseUrl: `sqlite:${path.join(folder, `${name}.db`)}`,
    cached: true,
    built: false,
  });
  undo.push(`the server of ${name}`, () => server.stop());
  await waitForAnswer(server, '/readiness', (status) => status === 200);
  await waitUntilIdle(server);
  return server;
}

/** What a sync costs that an action begins, from before it until the source says that it is over. */
async function measure(server: RunningProcess, begin: () => Promise<void>): Promise<SyncFigures> {
  const before = await lastSyncOf(server);
  const idleMb = memoryOf(server.pid).anonymousMb;
  const cpuBefore = cpuMs(server.pid);
  const startedAt = performance.now();
  const curveMb: number[] = [];
  await begin();
  while ((await lastSyncOf(server)) === before) {
    curveMb.push(memoryOf(server.pid).anonymousMb - idleMb);
    await pause(SAMPLE_MS);
  }
  curveMb.push(memoryOf(server.pid).anonymousMb - idleMb);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: (cpuMs(server.pid) - cpuBefore) / 1000, curveMb };
}

async function lastSyncOf({ url }: RunningProcess): Promise<unknown> {
  const response = await fetch(new URL('/v1/sources/rows', url));
  if (response.status === 404) return undefined;
  // SAFETY: as the API is described.
  const { syncStatus } = (await response.json()) as {
    readonly syncStatus?: {
      readonly phase: string;
      readonly message: string;
      readonly attemptCount: number;
      readonly lastSyncTime?: string;
    };
  };
  // Until it was tried, a source counts as failed as well.
  if (syncStatus?.phase === 'failed' && syncStatus.attemptCount > 0) throw new Error(syncStatus.message);
  return syncStatus?.lastSyncTime;
}

async function tagOf({ url }: RunningProcess): Promise<string | null> {
  return (await fetch(new URL('/registry/rows/v0.1/servers?limit=1', url))).headers.get('etag');
}

async function put(server: RunningProcess, kind: object): Promise<void> {
  await send(server, 'PUT', '/v1/sources/rows', { ...kind, syncPolicy: { interval: '24h' } });
  await send(server, 'PUT', '/v1/registries/rows', { sources: ['rows'] });
}

async function post(server: RunningProcess, query: string): Promise<void> {
  await send(server, 'POST', `/v1/sources/rows/sync${query}`);
}

async function send({ url }: RunningProcess, method: string, target: string, body?: object): Promise<void> {
  const response = await fetch(new URL(target, url), {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${await response.text()}`);
}

function shown({ seconds, cpuSeconds }: SyncFigures): string {
  return `${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s`;
}

function print(lines: readonly (readonly [string, string])[]): void {
  for (const [what, figure] of lines) process.stdout.write(`${what.padEnd(48)} ${figure}\n`);
}
