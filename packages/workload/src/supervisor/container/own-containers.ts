import type {
  ContainerDescription,
  ContainerEngine,
  HostedServerDescription,
  Labels,
  WorkloadHost,
} from '@portolan/plugin-api';
import {
  foreignStateFolder,
  labelsOfName,
  ownLabels,
  REMOVAL_ORDER,
  roleOf,
} from '../../state/workload-labels.ts';
import type { Directories } from '../../state/directories.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { nameOnEngine } from '../supervise-errors.ts';

export interface RemoveContainersOptions {
  /** Time that a server may take to stop before it is killed, in milliseconds; 0 kills it at once. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Removes all containers and networks of a workload in this state folder. On a runtime without a container
 * engine, removes the workload's servers instead. Returns how many were removed.
 */
export async function removeContainers(
  name: string,
  context: Pick<WorkloadContext, 'kinds' | 'directories'>,
  { graceMs, signal }: RemoveContainersOptions,
): Promise<number> {
  const opened = await context.kinds.openRuntime();
  const labels = ownLabels(name, context.directories);
  if (opened.runs === 'workloads') return await removeServers(opened.host, labels, { graceMs, signal });
  const runtime = opened.engine;
  const containers = await runtime.listContainers(labels, signal);
  for (const role of REMOVAL_ORDER) {
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

async function removeServers(
  host: WorkloadHost,
  labels: Labels,
  options: RemoveContainersOptions,
): Promise<number> {
  const servers = await host.listServers(labels, options.signal);
  await Promise.all(servers.map(({ id }) => host.removeServer(id, options)));
  return servers.length;
}

/**
 * Returns the servers with this workload name on a runtime's host. Throws ERR_WORKLOAD_EXISTS when a server
 * belongs to another state folder.
 */
export async function requireOwnServers(
  name: string,
  host: WorkloadHost,
  directories: Directories,
  signal: AbortSignal,
): Promise<readonly HostedServerDescription[]> {
  const servers = await host.listServers(labelsOfName(name), signal);
  requireOwn(name, servers, directories);
  return servers;
}

/**
 * Returns the containers with this workload name. Throws ERR_WORKLOAD_EXISTS when a container belongs to
 * another state folder.
 */
export async function requireOwnName(
  name: string,
  runtime: ContainerEngine,
  directories: Directories,
  signal: AbortSignal,
): Promise<readonly ContainerDescription[]> {
  const containers = await runtime.listContainers(labelsOfName(name), signal);
  requireOwn(name, containers, directories);
  return containers;
}

function requireOwn(
  name: string,
  matches: readonly { readonly labels: Labels }[],
  directories: Directories,
): void {
  for (const { labels } of matches) {
    const folder = foreignStateFolder(labels, directories);
    if (folder !== undefined) throw nameOnEngine(name, folder);
  }
}
