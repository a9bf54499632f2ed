import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { endSupervisor } from '../../packages/workload/src/run/operations/end-supervisor.ts';
import { readSupervisorNote } from '../../packages/workload/src/state/supervisor-note.ts';
import { runPortolan } from './command-line.ts';

/** Returns variables for a user with all folders below one. */
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

/** Time that a supervisor has to end its servers, in milliseconds. */
const GRACE_MS = 20_000;

/**
 * Returns the names of a user's workload files. Empty before the first workload and after the last was
 * removed.
 */
export async function filesOfWorkloads(root: string): Promise<readonly string[]> {
  const places = ['state/portolan/runconfigs', 'data/portolan/statuses'];
  const entries = await Promise.all(places.map((place) => readdir(path.join(root, place)).catch(() => [])));
  return entries.flat();
}

/** Removes the remaining workloads of a user. Without any, starts no process. */
export async function removeWorkloads(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  if ((await filesOfWorkloads(root)).length === 0) return;
  await runPortolan(['rm', '--all'], { cwd: root, env: environment });
}

/**
 * Ends the remaining workloads of a user without an engine before the folders are removed. It stops
 * supervisors like `portolan stop`, without a process. For a supervisor that does not end, it removes the
 * rest like `removeWorkloads`.
 */
export async function endWorkloads(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const statuses = path.join(root, 'data/portolan/statuses');
  const notes = (await filesOfWorkloads(root)).filter((name) => name.endsWith('.supervisor'));
  const ends = await Promise.all(
    notes.map(async (name) => {
      const supervisor = await readSupervisorNote(path.join(statuses, name));
      return await endSupervisor(name, supervisor, {
        graceMs: GRACE_MS,
        signal: AbortSignal.timeout(60_000),
      });
    }),
  );
  if (ends.some((how) => how !== 'stopped')) await removeWorkloads(root, environment);
}
