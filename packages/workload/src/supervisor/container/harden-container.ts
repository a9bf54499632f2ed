import type { ContainerLimits, ContainerSpec } from '@portolan/plugin-api';

export interface Hardening {
  readonly privileged: boolean;
  readonly writableRoot: boolean;
  /** User and group as numbers; undefined for the image's own. */
  readonly user: string | undefined;
  /** Whether the image sets HOME, or names a user with a home folder. */
  readonly hasHome: boolean;
  /** Maximum resources; undefined for the engine's defaults. */
  readonly limits: Required<ContainerLimits> | undefined;
}

/**
 * Removes privileges, capabilities, a custom seccomp profile and a writable root from a spec, except those
 * that `hardening` allows. Lowers resource limits to the maximum in `hardening`, and sets the user and HOME.
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

/**
 * Returns a HOME variable for a user that the image does not know. Such a user has no home folder, and the
 * root folder is read-only.
 */
function homeOf({ environment }: ContainerSpec, { hasHome }: Hardening): ContainerSpec['environment'] {
  return hasHome || Object.hasOwn(environment, 'HOME') ? {} : { HOME: '/tmp' };
}

function lowerOf(
  most: Required<ContainerLimits>,
  containerLimits: ContainerLimits,
): Required<ContainerLimits> {
  const lower = (name: keyof ContainerLimits): number =>
    Math.min(most[name], containerLimits[name] ?? most[name]);
  return {
    memoryBytes: lower('memoryBytes'),
    cpus: lower('cpus'),
    processes: lower('processes'),
    openFiles: lower('openFiles'),
  };
}
