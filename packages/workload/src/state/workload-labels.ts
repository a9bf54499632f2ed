import { createHash } from 'node:crypto';
import type { ContainerMount, Labels } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { Directories } from './directories.ts';

/**
 * What a container or network is there for. `server` alone stands for the
 * workload in lists. The process that waits for the next session is a `session`
 * from the start: labels cannot be changed when it is given to one.
 */
export const WORKLOAD_ROLES = ['server', 'gateway', 'session', 'build'] as const;
export type WorkloadRole = (typeof WORKLOAD_ROLES)[number];

/** Servers go first: what they share with the gateway stays until nobody uses it, and Podman refuses to remove it before. */
export const REMOVAL_ORDER = ['session', 'server', 'build', 'gateway', undefined] as const;

/** Every label that we set; an image or a user cannot. */
export const WORKLOAD_LABELS = {
  workload: 'portolan.dev/workload',
  name: 'portolan.dev/name',
  role: 'portolan.dev/role',
  state: 'portolan.dev/state',
  stateFolder: 'portolan.dev/state-folder',
  baseName: 'portolan.dev/basename',
  transport: 'portolan.dev/transport',
  port: 'portolan.dev/port',
  group: 'portolan.dev/group',
  isolation: 'portolan.dev/network-isolation',
} as const;

/** The folder that tells whose workload it is. */
export type StateFolder = Pick<Directories, 'statuses'>;

/** Short and always the same for one state folder. */
export function stateIdOf({ statuses }: StateFolder): string {
  return createHash('sha256').update(statuses).digest('hex').slice(0, 16);
}

/** The labels of something that is made for a workload; those of the user are with it. */
export function workloadLabels(config: RunConfig, role: WorkloadRole, directories: StateFolder): Labels {
  return {
    ...config.container_labels,
    ...ownLabels(config.name, directories),
    [WORKLOAD_LABELS.role]: role,
    [WORKLOAD_LABELS.stateFolder]: directories.statuses,
    [WORKLOAD_LABELS.baseName]: config.base_name === '' ? config.name : config.base_name,
    [WORKLOAD_LABELS.transport]: config.transport,
    [WORKLOAD_LABELS.port]: String(config.port),
    [WORKLOAD_LABELS.group]: config.group,
    [WORKLOAD_LABELS.isolation]: String(config.isolate_network),
  };
}

/** The labels by which everything of one workload is found; without a name, of all workloads of the state folder. */
export function ownLabels(name: string | undefined, directories: StateFolder): Labels {
  return {
    [WORKLOAD_LABELS.workload]: 'true',
    ...(name === undefined ? {} : { [WORKLOAD_LABELS.name]: name }),
    [WORKLOAD_LABELS.state]: stateIdOf(directories),
  };
}

/** Label of a volume that was made for a workload; its value is the name of that workload. */
const VOLUME_LABEL = 'portolan.dev/volume-of';

/** Returns the mounts with the labels of the volumes that the engine makes for them. */
export function withVolumeLabels(
  mounts: readonly ContainerMount[],
  name: string,
  directories: StateFolder,
): readonly ContainerMount[] {
  const labels = { [VOLUME_LABEL]: name, ...volumeLabels(directories) };
  return mounts.map((mount) => (mount.type === 'volume' ? { ...mount, labels } : mount));
}

/** Returns the labels by which the volumes that were made for workloads of a state folder are found. */
export function volumeLabels(directories: StateFolder): Labels {
  return { [WORKLOAD_LABELS.state]: stateIdOf(directories) };
}

/** The labels by which everything of this name on an engine is found, whosever it is. */
export function labelsOfName(name: string): Labels {
  return { [WORKLOAD_LABELS.workload]: 'true', [WORKLOAD_LABELS.name]: name };
}

/** What it is there for; undefined for what is not ours. */
export function roleOf(labels: Labels): WorkloadRole | undefined {
  return WORKLOAD_ROLES.find((role) => role === labels[WORKLOAD_LABELS.role]);
}

/** The state folder of another user or configuration that has a workload of this name; undefined for our own. */
export function foreignStateFolder(labels: Labels, directories: StateFolder): string | undefined {
  if (labels[WORKLOAD_LABELS.state] === stateIdOf(directories)) return undefined;
  return labels[WORKLOAD_LABELS.stateFolder] || 'an unknown folder';
}
