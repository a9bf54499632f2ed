import { createHash } from 'node:crypto';
import type { ContainerMount, Labels } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { Directories } from './directories.ts';

/**
 * Roles of containers and networks. Only `server` stands for the workload in lists. A spare process for the
 * next session is a `session` from the start, since labels cannot change later.
 */
export const WORKLOAD_ROLES = ['server', 'gateway', 'session', 'build'] as const;
export type WorkloadRole = (typeof WORKLOAD_ROLES)[number];

/** Order of removal. Servers come first: Podman does not remove a gateway while others share its network. */
export const REMOVAL_ORDER = ['session', 'server', 'build', 'gateway', undefined] as const;

/** Labels that Portolan sets, and that images and users cannot override. */
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

/** Folder that identifies the owner of a workload. */
export type StateFolder = Pick<Directories, 'statuses'>;

/** Returns a short, stable identifier of a state folder. */
export function stateIdOf({ statuses }: StateFolder): string {
  return createHash('sha256').update(statuses).digest('hex').slice(0, 16);
}

/** Returns the labels of a container or network of a workload, including the user's own labels. */
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

/**
 * Returns the labels that select everything of one workload; without a name, everything of the state folder.
 */
export function ownLabels(name: string | undefined, directories: StateFolder): Labels {
  return {
    [WORKLOAD_LABELS.workload]: 'true',
    ...(name === undefined ? {} : { [WORKLOAD_LABELS.name]: name }),
    [WORKLOAD_LABELS.state]: stateIdOf(directories),
  };
}

/** Label of a volume that the engine creates for a workload; the value is the workload's name. */
const VOLUME_LABEL = 'portolan.dev/volume-of';

/** Returns the mounts with labels on those volumes that the engine creates. */
export function withVolumeLabels(
  mounts: readonly ContainerMount[],
  name: string,
  directories: StateFolder,
): readonly ContainerMount[] {
  const labels = { [VOLUME_LABEL]: name, ...volumeLabels(directories) };
  return mounts.map((mount) => (mount.type === 'volume' ? { ...mount, labels } : mount));
}

/** Returns the labels that select the volumes of all workloads of a state folder. */
export function volumeLabels(directories: StateFolder): Labels {
  return { [WORKLOAD_LABELS.state]: stateIdOf(directories) };
}

/** Returns the labels that select everything of this name on an engine, of any owner. */
export function labelsOfName(name: string): Labels {
  return { [WORKLOAD_LABELS.workload]: 'true', [WORKLOAD_LABELS.name]: name };
}

/** Returns the role; undefined for containers of other programs. */
export function roleOf(labels: Labels): WorkloadRole | undefined {
  return WORKLOAD_ROLES.find((role) => role === labels[WORKLOAD_LABELS.role]);
}

/**
 * Returns the state folder of another user or configuration that owns a workload of this name; undefined for
 * our own.
 */
export function foreignStateFolder(labels: Labels, directories: StateFolder): string | undefined {
  if (labels[WORKLOAD_LABELS.state] === stateIdOf(directories)) return undefined;
  return labels[WORKLOAD_LABELS.stateFolder] || 'an unknown folder';
}
