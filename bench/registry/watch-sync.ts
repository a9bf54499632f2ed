import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMs, memoryOf } from './process-figures.ts';
import { type Contents, type ServerOptions, startPortolanOver, waitUntilIdle } from './start-portolan.ts';
import { freeAddress, type RunningProcess, startNode, waitForResponse, yielding } from './start-process.ts';
import type { UndoStack } from './undo-stack.ts';

/** Cost of a sync for the server. */
export interface SyncFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Samples of additional memory without mapped files in MB, at equal intervals. */
  readonly curveMb: readonly number[];
}

const SAMPLE_MS = 250;

/** Starts a server whose sources are created through the API, and may access everything on this machine. */
export async function startSyncServer(
  options: ServerOptions,
  undo: UndoStack,
  contents: Pick<Contents, 'sources' | 'registries'> = { sources: [], registries: [] },
): Promise<RunningProcess> {
  const server = await startPortolanOver(
    {
      sources: [...contents.sources, { name: 'own', managed: {} }],
      registries: [...contents.registries, { name: 'own', sources: ['own'] }],
      auth: { mode: 'anonymous' },
      apiSources: { allowPrivateAddresses: true, allowedDirectories: ['/'] },
      scratch: { directory: path.join(options.folder, 'scratch') },
    },
    options,
  );
  undo.push('portolan serve', () => server.stop());
  await waitForResponse(server, '/readiness', (status) => status === 200);
  await waitUntilIdle(server);
  return server;
}

/** Starts a registry in a separate process that renders its pages of a thousand rows in advance. */
export async function startStub(folder: string, catalogue: string, undo: UndoStack): Promise<RunningProcess> {
  const url = await freeAddress();
  const [program, ...args] = yielding([
    process.execPath,
    path.join(import.meta.dirname, 'stub-registry.ts'),
    `--catalogue=${catalogue}`,
    `--port=${url.port}`,
  ]);
  const stub = startNode(url, {
    program,
    args,
    environment: {},
    logFile: path.join(folder, `stub-${url.port}.log`),
  });
  undo.push('the other side', () => stub.stop());
  await waitForResponse(stub, '/v0.1/servers?limit=1', (status) => status === 200);
  return stub;
}

/** Measures a sync from before `action` until the source reports its end. Throws if it fails. */
export async function watchSync(
  server: RunningProcess,
  source: string,
  begin: () => Promise<void>,
): Promise<SyncFigures> {
  const before = await statusOf(server, source);
  const idleMb = memoryOf(server.pid).anonymousMb;
  const cpuBefore = cpuMs(server.pid);
  const startedAt = performance.now();
  const curveMb: number[] = [];
  await begin();
  for (;;) {
    const { lastSyncTime, attempts, message } = await statusOf(server, source);
    if (attempts > before.attempts) throw new Error(message);
    if (lastSyncTime !== before.lastSyncTime) break;
    curveMb.push(memoryOf(server.pid).anonymousMb - idleMb);
    await pause(SAMPLE_MS);
  }
  curveMb.push(memoryOf(server.pid).anonymousMb - idleMb);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: (cpuMs(server.pid) - cpuBefore) / 1000, curveMb };
}

interface Status {
  readonly lastSyncTime: string | undefined;
  /** Consecutive failed attempts. */
  readonly attempts: number;
  readonly message: string;
}

async function statusOf({ url }: RunningProcess, source: string): Promise<Status> {
  const response = await fetch(new URL(`/v1/sources/${source}`, url));
  if (response.status === 404) return { lastSyncTime: undefined, attempts: 0, message: '' };
  // SAFETY: the API description guarantees it.
  const { syncStatus } = (await response.json()) as {
    readonly syncStatus?: {
      readonly phase: string;
      readonly message: string;
      readonly attemptCount: number;
      readonly lastSyncTime?: string;
    };
  };
  // A source that was never tried also has the phase `failed`.
  const attempts = syncStatus?.phase === 'failed' ? syncStatus.attemptCount : 0;
  return { lastSyncTime: syncStatus?.lastSyncTime, attempts, message: syncStatus?.message ?? '' };
}

/** Creates a source that is read once, and a registry of the same name. */
export async function makeSource(server: RunningProcess, name: string, kind: object): Promise<void> {
  await send(server, 'PUT', `/v1/sources/${name}`, { ...kind, syncPolicy: { interval: '24h' } });
  await send(server, 'PUT', `/v1/registries/${name}`, { sources: [name] });
}

/** Starts another sync of a source. */
export async function readAgain(
  server: RunningProcess,
  name: string,
  how: 'changes' | 'in full',
): Promise<void> {
  await send(server, 'POST', `/v1/sources/${name}/sync${how === 'in full' ? '?full=true' : ''}`);
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
