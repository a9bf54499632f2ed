import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMs } from './process-figures.ts';
import { freeAddress, type RunningProcess, startNode, waitForResponse } from './start-process.ts';

const PROGRAM = path.join(import.meta.dirname, '../../packages/cli/bin/portolan.js');

export interface ServerOptions {
  /** Folder of the configuration and the log. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** Whether the response cache is on. */
  readonly cached: boolean;
  /** Whether to run the built packages instead of the sources. */
  readonly built: boolean;
  /** Node.js arguments before the program file. */
  readonly nodeArgs?: readonly string[];
}

export interface PortolanOptions extends ServerOptions {
  /** Catalogue files by source name; each source also has a registry. */
  readonly catalogues: Readonly<Record<string, string>>;
}

/** Variable parts of a configuration. */
export interface Contents {
  readonly sources: readonly object[];
  readonly registries: readonly object[];
  readonly auth: object;
  readonly pages?: object;
  /** What sources of the API may access, and where they store data. */
  readonly apiSources?: object;
  readonly scratch?: object;
}

/** Starts a public `portolan serve` over catalogue files; see `startPortolanOver`. */
export function startPortolan(options: PortolanOptions): Promise<RunningProcess> {
  const { catalogues } = options;
  return startPortolanOver(
    {
      sources: Object.entries(catalogues).map(([name, file]) => fileSource(name, file)),
      registries: Object.keys(catalogues).map((name) => ({ name, sources: [name] })),
      auth: { mode: 'anonymous' },
    },
    options,
  );
}

/** Returns a source that is read once. */
export function fileSource(name: string, file: string): object {
  return { name, file: { path: file }, syncPolicy: { interval: '24h' } };
}

/** Starts `portolan serve` with a real listener and an access log file. It may not listen yet. */
export async function startPortolanOver(contents: Contents, options: ServerOptions): Promise<RunningProcess> {
  const { folder, databaseUrl, cached, built, nodeArgs = [] } = options;
  const url = await freeAddress();
  const config = {
    ...contents,
    database: { url: databaseUrl },
    server: { address: url.host, internalAddress: 'off' },
  };
  const configFile = path.join(folder, `portolan-${url.port}.config.json`);
  await writeFile(configFile, JSON.stringify(config));
  return startNode(url, {
    ...commandOf(nodeArgs, ['serve', '--config', configFile]),
    environment: {
      PORTOLAN_LOG_FORMAT: 'json',
      ...(built ? { PORTOLAN_DIST: '1' } : {}),
      ...(cached ? {} : { PORTOLAN_SERVER_PAGECACHEBYTES: '0' }),
    },
    logFile: await logFileIn(folder, url),
  });
}

/** Starts `portolan serve` with a complete configuration file on a free port. */
export async function startPortolanWith(
  configFile: string,
  { folder, built }: Pick<ServerOptions, 'folder' | 'built'>,
): Promise<RunningProcess> {
  const url = await freeAddress();
  return startNode(url, {
    ...commandOf([], ['serve', '--config', configFile, '--address', url.host, '--internal-address', 'off']),
    environment: {
      PORTOLAN_LOG_FORMAT: 'json',
      XDG_DATA_HOME: folder,
      ...(built ? { PORTOLAN_DIST: '1' } : {}),
    },
    logFile: await logFileIn(folder, url),
  });
}

/**
 * Returns the command by its shebang line, like an installation. Node.js arguments require a direct start of
 * `node`.
 */
function commandOf(nodeArgs: readonly string[], args: readonly string[]) {
  return nodeArgs.length === 0 ? { program: PROGRAM, args } : { args: [...nodeArgs, PROGRAM, ...args] };
}

/** Returns a log file outside the catalogue's folder, which is watched: every line would wake the watcher. */
async function logFileIn(folder: string, { port }: URL): Promise<string> {
  const logs = path.join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  return path.join(logs, `portolan-${port}.log`);
}

export function waitForEntries(server: RunningProcess, registry: string, deadlineMs?: number): Promise<void> {
  const filled = (status: number, body: Buffer): boolean => status === 200 && body.includes('"server":');
  const options = deadlineMs === undefined ? {} : { deadlineMs };
  return waitForResponse(server, `/registry/${registry}/v0.1/servers?limit=1`, filled, options);
}

/** Waits until a process uses less than a tenth of a core over half a second, or until `restMs`. */
export async function waitUntilIdle(
  { pid }: RunningProcess,
  { restMs = 50, deadlineMs = 30_000 }: { readonly restMs?: number; readonly deadlineMs?: number } = {},
): Promise<void> {
  const until = performance.now() + deadlineMs;
  for (let before = cpuMs(pid); performance.now() < until; ) {
    await pause(500);
    const now = cpuMs(pid);
    if (now - before < restMs) return;
    before = now;
  }
}
