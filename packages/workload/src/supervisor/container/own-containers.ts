import type { ContainerDescription, Runtime } from '@portolan/plugin-api';
import { foreignStateFolder, labelsOfName, ownLabels, roleOf } from '../../state/workload-labels.ts';
import type { Directories } from '../../state/directories.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { nameOnEngine } from '../supervise-errors.ts';

/** Servers go first: what they share with the gateway stays until nobody uses it. */
const ORDER = ['session', 'server', 'build', 'gateway', undefined] as const;

export interface RemoveContainersOptions {
  /** How long a server may take to stop before it is killed; 0 kills at once. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

/** Removes every container and network of a workload of this state folder; how many. */
export async function removeContainers(
  name: string,
  context: Pick<WorkloadContext, 'kinds' | 'directories'>,
  { graceMs, signal }: RemoveContainersOptions,
): Promise<number> {
  const runtime = await context.kinds.openRuntime();
  const labels = ownLabels(name, context.directories);
  const containers = await runtime.listContainers(labels, signal);
  for (const role of ORDER) {
    const ofRole = containers.filter((container) => roleOf(container.labels) === role);
    await Promise.all(
      ofRole.map(async ({ id, state }) => {
        if (graceMs > 0 && state.running && role !== 'gateway') {
          await runtime.stopContainer(id, { graceMs, signal });
        }
        await runtime.removeContainer(id, signal);
      }),
    );
  }
  const networks = await runtime.listNetworks(labels, signal);
  for (const network of networks) await runtime.removeNetwork(network.id, signal);
  return containers.length + networks.length;
}

/** What the engine has of this name. Throws ERR_WORKLOAD_ELSEWHERE when some of it belongs to another state folder. */
export async function requireOwnName(
  name: string,
  runtime: Runtime,
  directories: Directories,
  signal: AbortSignal,
): Promise<readonly ContainerDescription[]> {
  const containers = await runtime.listContainers(labelsOfName(name), signal);
  for (const { labels } of containers) {
    const folder = foreignStateFolder(labels, directories);
    if (folder !== undefined) throw nameOnEngine(name, folder);
  }
  return containers;
}
