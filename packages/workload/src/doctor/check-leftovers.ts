import { readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { runtimeIdOf } from '../state/directories.ts';
import { namesWithin } from '../state/member-config.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/** Minimum age of an orphaned folder without a socket: a younger one may belong to a starting workload. */
const YOUNG_MS = 10 * 60 * 1000;

export async function checkLeftovers({
  directories,
  store,
  clock,
}: WorkloadContext): Promise<readonly Finding[]> {
  const known = new Set(
    (await store.list()).flatMap((workload) =>
      namesWithin(workload).map((name) => runtimeIdOf(name, directories)),
    ),
  );
  const unknown = (await foldersIn(directories.runtime)).filter((id) => !known.has(id));
  const findings: Finding[] = [];
  for (const id of unknown) {
    const folder = path.join(directories.runtime, id);
    if (!(await isForgotten(folder, clock()))) continue;
    findings.push({
      check: 'leftovers',
      level: 'notice',
      found: `${folder} belongs to a workload that no longer exists.`,
      remedy: 'Nothing uses it any more; a repair removes it.',
      repair: () => rm(folder, { recursive: true, force: true }),
    });
  }
  if (findings.length > 0) return findings;
  return [{ check: 'leftovers', level: 'fine', found: 'There are no orphaned folders.' }];
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    const dirents = await readdir(folder, { withFileTypes: true });
    return dirents.filter((one) => one.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Returns whether a runtime folder is orphaned. A folder with a socket on which a process listens is in use,
 * perhaps by another state folder of this user.
 */
async function isForgotten(folder: string, now: Date): Promise<boolean> {
  const sockets = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sock'));
  for (const socket of sockets) {
    if (await isListenedTo(path.join(folder, socket))) return false;
  }
  if (sockets.length > 0) return true;
  return now.getTime() - (await stat(folder)).mtimeMs > YOUNG_MS;
}

async function isListenedTo(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket);
  connection.once('connect', () => resolve(true));
  // the connection was refused, or the socket is gone: no process listens
  connection.once('error', () => resolve(false));
  try {
    return await promise;
  } finally {
    connection.destroy();
  }
}
