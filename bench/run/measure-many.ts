import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { memoryOf } from './measure-run.ts';
import { listTools } from './messages.ts';
import type { WorkloadCommands } from './workload-commands.ts';

const run = promisify(execFile);

export interface ManyFigures {
  readonly count: number;
  readonly allReadySeconds: number;
  readonly allRemovedSeconds: number;
  /** Sum of all supervisors. */
  readonly privateDirtyMb: number;
  /** Containers that remain on the engine. */
  readonly leftContainers: number;
}

/** Starts many workloads at once, calls each, and removes all at once. */
export async function measureMany(
  commands: WorkloadCommands,
  image: string,
  count: number,
): Promise<ManyFigures> {
  const names = Array.from({ length: count }, (_, index) => `bench-many-${process.pid}-${index}`);
  const startedAt = performance.now();
  const urls = await Promise.all(names.map((name) => commands.run([image, '--name', name])));
  await Promise.all(urls.map((url) => listTools(url)));
  const allReadySeconds = (performance.now() - startedAt) / 1000;
  const memories = await Promise.all(names.map(async (name) => memoryOf(await commands.supervisorOf(name))));
  const removedFrom = performance.now();
  await commands.remove(...names);
  const allRemovedSeconds = (performance.now() - removedFrom) / 1000;
  return {
    count,
    allReadySeconds,
    allRemovedSeconds,
    privateDirtyMb: memories.reduce((sum, { privateDirtyMb }) => sum + privateDirtyMb, 0),
    leftContainers: await countContainers(names),
  };
}

async function countContainers(names: readonly string[]): Promise<number> {
  const { stdout } = await run('docker', [
    'ps',
    '-a',
    '--format',
    '{{.Label "portolan.dev/name"}}',
    '--filter',
    'label=portolan.dev/name',
  ]);
  return stdout.split('\n').filter((name) => names.includes(name)).length;
}
