import { isDeepStrictEqual } from 'node:util';
import {
  type ContainerSpec,
  type HostDescription,
  type HostedServer,
  PortolanError,
} from '@portolan/plugin-api';
import { type RunConfig, networkModeOf } from '@portolan/run-spec';
import { isBuiltImage } from '../container/container-user.ts';

/**
 * Throws ERR_RUNTIME_CANNOT when a run config needs features that the runtime's host does not support. The
 * error lists all of them.
 */
export function requireHostGives(config: RunConfig, host: HostDescription): void {
  const missing = notGiven(config, host);
  if (missing.length > 0) throw hostCannot(config.name, host.name, missing);
}

/**
 * Returns the features that a run config needs, but that the host does not enforce or that only a local
 * container engine supports.
 */
export function notGiven(
  config: RunConfig,
  { enforces }: Pick<HostDescription, 'enforces'>,
): readonly string[] {
  const profile = config.permission_profile ?? {};
  const mode = networkModeOf(profile.network?.mode);
  const isIsolated = networkOf(config) === 'isolated';
  const isLoopback = ['', '127.0.0.1', 'localhost', '::1'].includes(config.target_host);
  const requirements: readonly (readonly [boolean, string])[] = [
    [config.image === '', 'it names no image'],
    [isBuiltImage(config.image), `the image ${config.image} was built here, and is nowhere else`],
    [mode.mode === 'none' && !enforces.includes('no-network'), 'no network at all (permission profile)'],
    [
      isIsolated && !enforces.includes('network-isolation'),
      'an isolated network (--isolate-network), which it does not enforce',
    ],
    [mode.mode === 'host' || mode.mode === 'named', `the network ${profile.network?.mode} of this machine`],
    [
      (profile.read ?? []).length + (profile.write ?? []).length + config.volumes.length > 0,
      'folders of this machine (--volume, permission profile)',
    ],
    [config.stop_after_idle !== '', 'a server that stops while it is idle (--stop-after-idle)'],
    [config.start === 'lazy', 'a server that starts with its first request (--start lazy)'],
    [config.publish.length > 0, 'ports of this machine (--publish)'],
    [profile.privileged === true, 'a privileged container (permission profile)'],
    [config.allow_docker_gateway, 'the gateway of the container engine (--allow-container-gateway)'],
    [!isLoopback, `the address ${config.target_host} (--target-host), because the host chooses the address`],
  ];
  return requirements.filter(([isWanted]) => isWanted).map(([, what]) => what);
}

export function hostWarnings({
  name,
  enforces,
}: Pick<HostDescription, 'name' | 'enforces'>): readonly string[] {
  if (enforces.includes('confinement')) return [];
  return [`${name} does not confine the server: it can do everything that the host allows, on any machine.`];
}

/** Returns the network of a hosted server. Only the modes that `requireHostGives` accepts can occur. */
export function networkOf(config: RunConfig): HostedServer['network'] {
  const { mode } = networkModeOf(config.permission_profile?.network?.mode);
  if (mode === 'none') return 'none';
  return config.isolate_network ? 'isolated' : 'open';
}

/**
 * Fields of the container spec that plugins may change for a hosted server. Hosts ignore all other fields.
 */
const HEEDED: ReadonlySet<string> = new Set(['command', 'environment', 'labels']);

/** Throws ERR_RUNTIME_CANNOT when plugins changed a field that the host ignores. */
export function requireHeeded(
  planned: ContainerSpec,
  changed: ContainerSpec,
  where: { readonly host: string; readonly plugin: string | undefined },
): void {
  const names = new Set([...Object.keys(planned), ...Object.keys(changed)]);
  const before = new Map<string, unknown>(Object.entries(planned));
  const after = new Map<string, unknown>(Object.entries(changed));
  const who = where.plugin === undefined ? 'a plugin' : `the plugin ${where.plugin}`;
  const unheeded = [...names]
    .filter((name) => !HEEDED.has(name) && !isDeepStrictEqual(before.get(name), after.get(name)))
    .map((name) => `"${name}", which ${who} has changed`);
  if (unheeded.length > 0) throw hostCannot(planned.name, where.host, unheeded);
}

/**
 * Creates the error for a workload that needs features which the runtime's host does not support. Nothing was
 * started.
 */
function hostCannot(workload: string, host: string, requirements: readonly string[]): PortolanError {
  const list = requirements.map((one) => `\n  ${one}`).join('');
  return new PortolanError(
    'ERR_RUNTIME_CANNOT',
    'refused',
    `${host} cannot run "${workload}" with its settings:${list}`,
    {
      hint: 'Change these settings, or choose another runtime (PORTOLAN_RUNTIME).',
    },
  );
}
