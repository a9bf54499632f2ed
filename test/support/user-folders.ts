import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { runPortolan } from './command-line.ts';

/** Variables for a user all of whose folders are below one. */
export function foldersBelow(root: string): Readonly<Record<string, string>> {
  const folder = (name: string): string => path.join(root, name);
  return {
    HOME: root,
    XDG_CONFIG_HOME: folder('config'),
    XDG_STATE_HOME: folder('state'),
    XDG_DATA_HOME: folder('data'),
    XDG_CACHE_HOME: folder('cache'),
    XDG_RUNTIME_DIR: folder('run'),
  };
}

/** Names of the files in which a user keeps their workloads: none before the first, and after the last was removed. */
export async function filesOfWorkloads(root: string): Promise<readonly string[]> {
  const places = ['state/portolan/runconfigs', 'data/portolan/statuses'];
  const kept = await Promise.all(places.map((place) => readdir(path.join(root, place)).catch(() => [])));
  return kept.flat();
}

/** Removes the workloads that are left of a user. Where there are none, no process is started. */
export async function removeWorkloads(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  if ((await filesOfWorkloads(root)).length === 0) return;
  await runPortolan(['rm', '--all'], { cwd: root, env: environment });
}
