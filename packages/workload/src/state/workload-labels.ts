import { createHash } from 'node:crypto';
import type { ContainerMount, Labels } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { Directories } from './directories.ts';
import { findMemberName, workloadOf } from './member-name.ts';

/**
 * Roles of containers and networks. Only a `server` represents the workload in lists. A process that is
 * prepared for the next session has the role `session` from the start, because labels cannot change later.
 */
export const WORKLOAD_ROLES = ['server', 'gateway', 'session', 'build'] as const;
export type WorkloadRole = (typeof WORKLOAD_ROLES)[number];

/**
 * Roles in the order in which their containers are removed. Servers come before gateways, because Podman does
 * not remove a gateway while other containers share its network.
 */
export const REMOVAL_ORDER = ['session', 'server', 'build', 'gateway', undefined] as const;

/** Labels that Portolan sets, and that images and users cannot override. */
export const WORKLOAD_LABELS = {
  workload: 'portolan.dev/workload',
  name: 'portolan.dev/name',
  member: 'portolan.dev/member',
  role: 'portolan.dev/role',
  state: 'portolan.dev/state',
  stateFolder: 'portolan.dev/state-folder',
  baseName: 'portolan.dev/basename',
  transport: 'portolan.dev/transport',
  port: 'portolan.dev/port',
  group: 'portolan.dev/group',
  isolation: 'portolan.dev/network-isolation',
  appliedBy: 'portolan.dev/applied-by',
} as const;

/** Folder with the workloads' state files. It identifies the owner of a workload on a shared engine. */
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
    [WORKLOAD_LABELS.baseName]: config.base_name === '' ? workloadOf(config.name) : config.base_name,
    [WORKLOAD_LABELS.transport]: config.transport,
    [WORKLOAD_LABELS.port]: String(config.port),
    [WORKLOAD_LABELS.group]: config.group,
    [WORKLOAD_LABELS.isolation]: String(config.isolate_network),
    ...(config.applied_by === '' ? {} : { [WORKLOAD_LABELS.appliedBy]: config.applied_by }),
  };
}

/**
 * Returns the labels that select all containers and networks of one workload with its members, or of one
 * member. Without a name, they select those of all workloads in the state folder.
 */
export function ownLabels(name: string | undefined, directories: StateFolder): Labels {
  return {
    [WORKLOAD_LABELS.workload]: 'true',
    ...(name === undefined ? {} : nameLabels(name)),
    [WORKLOAD_LABELS.state]: stateIdOf(directories),
  };
}

function nameLabels(name: string): Labels {
  const { workload = name, member } = findMemberName(name) ?? {};
  return {
    [WORKLOAD_LABELS.name]: workload,
    ...(member === undefined ? {} : { [WORKLOAD_LABELS.member]: member }),
  };
}

/** Label of a volume that the engine creates for a workload; the value is the workload's name. */
const VOLUME_LABEL = 'portolan.dev/volume-of';

/** Returns the mounts, with labels on the volumes that the engine creates for the workload. */
export function withVolumeLabels(
  mounts: readonly ContainerMount[],
  name: string,
  directories: StateFolder,
): readonly ContainerMount[] {
  const labels = { [VOLUME_LABEL]: workloadOf(name), ...volumeLabels(directories) };
  return mounts.map((mount) => (mount.type === 'volume' ? { ...mount, labels } : mount));
}

/** Returns the labels that select the volumes of all workloads of a state folder. */
export function volumeLabels(directories: StateFolder): Labels {
  return { [WORKLOAD_LABELS.state]: stateIdOf(directories) };
}

/**
 * Returns the labels that select all containers and networks of workloads with this name on an engine, of any
 * owner.
 */
export function labelsOfName(name: string): Labels {
  return { [WORKLOAD_LABELS.workload]: 'true', ...nameLabels(name) };
}

/** Returns the role of a container or network; undefined for those of other programs. */
export function roleOf(labels: Labels): WorkloadRole | undefined {
  return WORKLOAD_ROLES.find((role) => role === labels[WORKLOAD_LABELS.role]);
}

/**
 * Returns the state folder that owns the labelled container or network, if that is not our own. Another user
 * or another configuration then has a workload of this name. Returns undefined for our own.
 */
export function foreignStateFolder(labels: Labels, directories: StateFolder): string | undefined {
  if (labels[WORKLOAD_LABELS.state] === stateIdOf(directories)) return undefined;
  return labels[WORKLOAD_LABELS.stateFolder] || 'an unknown folder';
}
