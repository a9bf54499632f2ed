import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { endSupervisor } from '../../packages/workload/src/run/operations/end-supervisor.ts';
import { readSupervisorNote } from '../../packages/workload/src/state/supervisor-note.ts';
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

/** How long a supervisor may take to end its servers. */
const GRACE_MS = 20_000;

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

/**
 * Ends the workloads that are left of a user without an engine, whose folders are removed next: supervisors are
 * asked to end, as `portolan stop` asks them, without a process for it. Where one has not ended in order, what it
 * may have left behind is removed as `removeWorkloads` does.
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
