import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { endSupervisor } from '../../packages/workload/src/run/operations/end-supervisor.ts';
import type { ProcessIdentity } from '../../packages/workload/src/state/process-identity.ts';
import { runPortolan } from './command-line.ts';

/** Where a user's workloads are kept. */
const [RUN_CONFIGS, STATUSES] = ['state/portolan/runconfigs', 'data/portolan/statuses'] as const;
const ENDING = { graceMs: 10_000, signal: new AbortController().signal };

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
  const kept = await Promise.all(
    [RUN_CONFIGS, STATUSES].map((place) => readdir(path.join(root, place)).catch(() => [])),
  );
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
 * The same for a user whose folders are removed next. No process is started
 * where all there is to end are supervisors, which end what they have begun:
 * that is all that `portolan rm` does outside of the folders about workloads
 * that run and have no container.
 */
export async function endWorkloads(
  root: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const left = await filesOfWorkloads(root);
  const hasEngine = environment['PORTOLAN_RUNTIME'] === undefined;
  if (!(await haveEnded(root, left, hasEngine))) await removeWorkloads(root, environment);
}

/** Ends supervisors as `portolan rm` does. False where something is left, or may be, that only the command knows. */
async function haveEnded(root: string, files: readonly string[], hasEngine: boolean): Promise<boolean> {
  const supervisors: ProcessIdentity[] = [];
  for (const file of new Set(files)) {
    const config = await readMap(path.join(root, RUN_CONFIGS, file));
    const state = await readMap(path.join(root, STATUSES, file));
    const [status, pid, started] = [state['status'], state['process_id'], state['process_started']];
    if (config['name'] === undefined || (hasEngine && state['container_id'] !== undefined)) return false;
    if (status === 'stopped' || status === 'error') continue;
    if (status !== 'running' || typeof pid !== 'number' || typeof started !== 'string') return false;
    supervisors.push({ pid, started });
  }
  // One that was gone, or had to be killed, leaves its server.
  const ended = supervisors.map(async (one) => (await endSupervisor('', one, ENDING)) === 'stopped');
  return (await Promise.all(ended)).every(Boolean);
}

/** Empty where there is no such file, or no JSON of a map in it. */
async function readMap(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return {};
  }
}
