import { rm } from 'node:fs/promises';
import path from 'node:path';
import { filesIn } from '../../state/state-files.ts';
import { listLogFiles } from '../../state/log-files.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/** Removes log files of workloads that no longer exist, and returns their paths. */
export async function pruneLogs({ directories, store }: WorkloadContext): Promise<readonly string[]> {
  const known = (await store.list()).flatMap(({ name }) => listLogFiles(name, directories));
  const remaining = new Set(known.map((file) => path.basename(file)));
  const forgotten = (await filesIn(directories.logs))
    .filter((name) => /\.log(?:\.1)?$/.test(name) && !remaining.has(name))
    .toSorted()
    .map((name) => path.join(directories.logs, name));
  for (const file of forgotten) await rm(file, { force: true });
  return forgotten;
}
