import type { ContainerDescription, ContainerEngine, WorkloadHost } from '@portolan/plugin-api';
import { ownLabels, REMOVAL_ORDER, roleOf, WORKLOAD_LABELS } from '../state/workload-labels.ts';
import { isAlive } from '../state/process-identity.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/** Maximum duration of a build in milliseconds, until which containers of builds are not orphaned. */
const MAX_BUILD_MS = 60 * 60 * 1000;

/**
 * Returns the orphaned containers and networks, or on a runtime without a container engine its servers: their
 * workload was removed or has stopped.
 */
export async function checkContainers(
  { kinds, store, directories, clock }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const opened = await kinds.openRuntime();
  if (opened.runs === 'workloads') return await checkHost(opened.host, { store, directories }, signal);
  const runtime = opened.engine;
  const ours = ownLabels(undefined, directories);
  const [containers, networks] = await Promise.all([
    runtime.listContainers(ours, signal),
    runtime.listNetworks(ours, signal),
  ]);
  // Read the workloads after the containers. A workload gets its name before its container, so no new
  // container looks orphaned.
  const workloads = await store.list();
  const names = new Set(workloads.map(({ name }) => name));
  const idle = await listIdle(workloads);
  const nameIn = ({ labels }: Pick<ContainerDescription, 'labels'>): string =>
    labels[WORKLOAD_LABELS.name] ?? '';
  const isForgotten = (one: ContainerDescription): boolean =>
    one.labels[WORKLOAD_LABELS.role] === 'build'
      ? clock().getTime() - one.createdAt.getTime() > MAX_BUILD_MS
      : !names.has(nameIn(one)) || idle.has(nameIn(one));
  const findings: readonly Finding[] = [
    ...inRemovalOrder(containers.filter(isForgotten)).map((container) =>
      forgottenContainer(container, runtime),
    ),
    ...networks
      .filter((one) => !names.has(nameIn(one)) || idle.has(nameIn(one)))
      .map(({ id, name }) => forgotten(`Network ${name}`, (end) => runtime.removeNetwork(id, end))),
  ];
  if (findings.length > 0) return findings;
  return [{ check: 'containers', level: 'fine', found: 'There are no orphaned containers or networks.' }];
}

async function listIdle(workloads: readonly StoredWorkload[]): Promise<ReadonlySet<string>> {
  const idle = new Set<string>();
  for (const { name, state, supervisor } of workloads) {
    const isAtRest = state !== undefined && ['stopped', 'error', 'policy_stopped'].includes(state.status);
    if (isAtRest && (supervisor === undefined || !(await isAlive(supervisor)))) idle.add(name);
  }
  return idle;
}

async function checkHost(
  host: WorkloadHost,
  { store, directories }: Pick<WorkloadContext, 'store' | 'directories'>,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const servers = await host.listServers(ownLabels(undefined, directories), signal);
  const names = new Set((await store.list()).map(({ name }) => name));
  const findings = servers
    .filter(({ labels }) => !names.has(labels[WORKLOAD_LABELS.name] ?? ''))
    .map(({ id, name }) =>
      forgotten(`Server ${name}`, (end) => host.removeServer(id, { graceMs: 0, signal: end })),
    );
  if (findings.length > 0) return findings;
  return [{ check: 'containers', level: 'fine', found: 'There are no orphaned servers.' }];
}

/**
 * Sorts containers by role, because doctor repairs findings in this order and some containers cannot be
 * removed before others.
 */
function inRemovalOrder(containers: readonly ContainerDescription[]): readonly ContainerDescription[] {
  const turnOf = ({ labels }: ContainerDescription): number => REMOVAL_ORDER.indexOf(roleOf(labels));
  return containers.toSorted((left, right) => turnOf(left) - turnOf(right));
}

function forgottenContainer({ id, name }: ContainerDescription, runtime: ContainerEngine): Finding {
  return forgotten(`Container ${name}`, (signal) => runtime.removeContainer(id, signal));
}

function forgotten(what: string, repair: (signal: AbortSignal) => Promise<void>): Finding {
  return {
    check: 'containers',
    level: 'problem',
    found: `${what} belongs to a workload that was removed or does not run.`,
    remedy: 'Nothing uses it any more; a repair removes it.',
    repair,
  };
}
