import type { ContainerLimits, ContainerSpec } from '@portolan/plugin-api';

/** How closed a container of a workload is: what its profile, the engine and its image ask for. */
export interface Hardening {
  /** Only with a profile that says so. */
  readonly privileged: boolean;
  /** Only where the image's server has turned out to need it. */
  readonly writableRoot: boolean;
  /** By number; undefined: as the image says. */
  readonly user: string | undefined;
  /** Whether the image says where HOME is, or names a user that has a home folder. */
  readonly hasHome: boolean;
  /** Most that the container may take; undefined: what the engine takes by itself. */
  readonly limits: Required<ContainerLimits> | undefined;
}

/**
 * The spec, closed: privileges, capabilities, a seccomp profile of its own and a
 * writable root go, but those that the hardening names; limits are set, and stay
 * where they are lower; user and HOME are those of the workload. What was
 * closed further before stays so. Pure.
 */
export function hardenContainer(spec: ContainerSpec, hardening: Hardening): ContainerSpec {
  const {
    privileged: _privileged,
    allowNewPrivileges: _allowNewPrivileges,
    writableRoot: _writableRoot,
    capabilities: _capabilities,
    seccompProfile: _seccompProfile,
    ...closed
  } = spec;
  const { user, limits } = hardening;
  return {
    ...closed,
    environment: { ...homeOf(spec, hardening), ...spec.environment },
    ...(user === undefined ? {} : { user }),
    ...(limits === undefined ? {} : { limits: lowerOf(limits, spec.limits ?? {}) }),
    ...(hardening.privileged ? { privileged: true } : {}),
    ...(hardening.writableRoot ? { writableRoot: true } : {}),
  };
}

/** A user that the image does not know has no home folder, and its root folder is read-only. */
function homeOf({ environment }: ContainerSpec, { hasHome }: Hardening): ContainerSpec['environment'] {
  return hasHome || Object.hasOwn(environment, 'HOME') ? {} : { HOME: '/tmp' };
}

function lowerOf(most: Required<ContainerLimits>, given: ContainerLimits): Required<ContainerLimits> {
  const lower = (name: keyof ContainerLimits): number => Math.min(most[name], given[name] ?? most[name]);
  return {
    memoryBytes: lower('memoryBytes'),
    cpus: lower('cpus'),
    processes: lower('processes'),
    openFiles: lower('openFiles'),
  };
}
