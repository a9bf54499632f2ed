import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { ContainerEngine } from '@portolan/plugin-api';
import { ownLabels } from '../../packages/workload/src/state/workload-labels.ts';

/** Remains of one user's workloads. The lists are sorted, and empty if nothing remains. */
export interface WorkloadTraces {
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  /** Command lines of processes that were started with a folder of the user. */
  readonly processes: readonly string[];
  /** Given URLs that accept connections. */
  readonly listening: readonly string[];
  /** Files and sockets below the user's folders, without settings and caches. */
  readonly files: readonly string[];
}

export const NO_TRACES: WorkloadTraces = {
  containers: [],
  networks: [],
  processes: [],
  listening: [],
  files: [],
};

export interface TracesOptions {
  readonly runtime: ContainerEngine;
  /** Folder that contains all folders of this user only. */
  readonly root: string;
  /** Addresses that workloads had. */
  readonly urls: readonly string[];
}

/** Files that outlive workloads: settings, lookups and installed plugins. */
const KEPT = [
  'state/portolan/trust.json',
  'state/portolan/grants.jsonl',
  'cache/',
  'config/portolan/config.yaml',
  'data/portolan/builds/images/',
  'data/portolan/builds/versions/',
  'data/portolan/cache/',
  'data/portolan/host-packages/',
  'data/portolan/node_modules/',
  'data/portolan/package.json',
  'data/portolan/package-lock.json',
];

/** Returns what the workloads of one user have left. Those of other users on the machine do not count. */
export async function findTraces({ runtime, root, urls }: TracesOptions): Promise<WorkloadTraces> {
  const labels = ownLabels(undefined, { statuses: path.join(root, 'data/portolan/statuses') });
  const [containers, networks, processes, heard, files] = await Promise.all([
    runtime.listContainers(labels),
    runtime.listNetworks(labels),
    findProcesses(root),
    Promise.all(urls.map(async (url) => ({ url, listens: await listensAt(new URL(url)) }))),
    findFiles(root),
  ]);
  return {
    containers: containers.map(({ name }) => name),
    networks: networks.map(({ name }) => name),
    processes,
    listening: heard.filter(({ listens }) => listens).map(({ url }) => url),
    files,
  };
}

/** Returns the command lines of processes with a folder in their environment, from /proc. */
export async function findProcesses(root: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const processes = await Promise.all(
    ids.map(async (id) => {
      const read = (file: string): Promise<string> => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => ''); // it has ended, or is another user's
      const isOwn = (await read('environ')).includes(`=${root}${path.sep}`);
      return isOwn ? [(await read('cmdline')).replaceAll('\0', ' ').trim()] : [];
    }),
  );
  return processes.flat();
}

export async function listensAt({ hostname, port }: URL): Promise<boolean> {
  const socket = connect(Number(port), hostname);
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

export async function findFiles(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !KEPT.some((folder) => file === folder || file.startsWith(folder)))
    .toSorted();
}
