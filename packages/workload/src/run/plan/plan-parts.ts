import { isPortolanError } from '@portolan/plugin-api';
import {
  type RunConfig,
  findSecretReference,
  inlineSecret,
  mountsOfProfile,
  networkModeOf,
} from '@portolan/run-spec';
import { PROXY_ENVIRONMENT } from '@portolan/isolation';
import { mountsOf } from '../../supervisor/container/plan-container.ts';
import { resolveMounts } from '../../supervisor/container/resolve-mounts.ts';
import type { ResolvedOverlay } from '../../supervisor/overlays/resolve-overlays.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type {
  PlannedGrant,
  PlannedMount,
  PlannedNetwork,
  PlannedOverlay,
  PlannedSecret,
  PlannedVariable,
} from '../run-plan.ts';

export function planMounts(
  { permission_profile: profile, remote_url: url }: Pick<RunConfig, 'permission_profile' | 'remote_url'>,
  { workingDirectory, home }: Pick<WorkloadContext, 'workingDirectory' | 'home'>,
): readonly Omit<PlannedMount, 'author'>[] {
  if (url !== '') return [];
  const { mounts } = mountsOfProfile(profile ?? {}, 'permission_profile', { workingDirectory, home });
  return mounts.map(({ host, container, readOnly }) => ({
    source: host,
    target: container,
    read_only: readOnly,
  }));
}

export interface OverlayPlan {
  readonly hidden: readonly PlannedOverlay[];
  readonly warnings: readonly string[];
}

/**
 * Returns the paths in mounted folders that ignore files hide, and warnings about faults. Reads nothing in a
 * folder whose mount needs consent.
 */
export async function planOverlays(
  config: RunConfig,
  grants: readonly PlannedGrant[],
  context: Pick<WorkloadContext, 'workingDirectory' | 'home' | 'directories'>,
  signal: AbortSignal,
): Promise<OverlayPlan> {
  const mounts = config.remote_url === '' ? mountsOf(config.permission_profile, context) : [];
  if (mounts.length === 0) return { hidden: [], warnings: [] };
  const { resolveOverlays } = await import('../../supervisor/overlays/resolve-overlays.ts');
  try {
    await resolveMounts(mounts);
    if (grants.some(({ accepted }) => !accepted)) return { hidden: [], warnings: [] };
    const { resolved, warnings } = await resolveOverlays(mounts, {
      loadGlobal: config.ignore_config?.LoadGlobal ?? true,
      ignoreFiles: context.directories.ignoreFiles,
      emptyFile: '', // a plan mounts nothing, so no empty file is needed
      signal,
    });
    return { hidden: resolved.map(plannedOverlay), warnings };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return { hidden: [], warnings: [`A run would be refused: ${error.message}`] };
  }
}

function plannedOverlay({ containerPath, kind }: ResolvedOverlay): PlannedOverlay {
  return { path: containerPath, kind: kind === 'tmpfs' ? 'folder' : 'file' };
}

/**
 * Returns the hosts and ports to which the workload may connect; `*` without network isolation. Undefined for
 * a remote server.
 */
export function planNetworks(config: RunConfig): PlannedNetwork | undefined {
  if (config.remote_url !== '') return undefined;
  const { network } = config.permission_profile ?? {};
  const mode = networkModeOf(network?.mode);
  const outbound = network === undefined ? { insecure_allow_all: true } : (network.outbound ?? {});
  const { insecure_allow_all: all = false, allow_host: hosts = [], allow_port: ports = [] } = outbound;
  const isOpen = all || (!config.isolate_network && mode.mode !== 'none');
  return {
    mode: mode.mode === 'named' ? mode.name : mode.mode,
    isolated: config.isolate_network,
    allowed_hosts: isOpen || (hosts.length === 0 && ports.length > 0) ? ['*'] : hosts,
    allowed_ports: isOpen ? [] : ports,
    published: config.publish,
  };
}

/**
 * Returns the variables that Portolan adds for the transport and for the isolated network. A variable in the
 * run config has precedence over a variable of the transport.
 */
export async function planAddedVariables(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly PlannedVariable[]> {
  if (config.remote_url !== '') return [];
  const transport = await kinds.openTransport(config.transport);
  const bare = { name: config.name, image: config.image, command: [], environment: {}, labels: {} };
  const port = transport.carries === 'http' ? config.target_port : undefined;
  const plannedVariables = Object.keys(
    transport.prepareContainer(bare, { port, serves: 'shared' }).environment,
  )
    .filter((name) => !Object.hasOwn(config.env_vars, name))
    .map((name) => addedVariable(name, `the transport ${config.transport}`));
  const hasWayOut =
    config.isolate_network && networkModeOf(config.permission_profile?.network?.mode).mode !== 'none';
  const out = hasWayOut ? Object.keys(PROXY_ENVIRONMENT) : [];
  return [...plannedVariables, ...out.map((name) => addedVariable(name, 'the isolated network'))];
}

function addedVariable(name: string, by: string): PlannedVariable {
  return { name, from: 'rule', by, author: 'portolan' };
}

export function planSecrets({
  secrets,
  inline_secrets: inline,
}: RunConfig): readonly Omit<PlannedSecret, 'author'>[] {
  const planned = (
    text: string,
    show: (target: string) => string,
  ): readonly Omit<PlannedSecret, 'author'>[] => {
    const reference = findSecretReference(text);
    return reference === undefined ? [] : [{ variable: show(reference.target), secret: reference.name }];
  };
  return [
    ...secrets.flatMap((text) => planned(text, (target) => target)),
    ...inline.flatMap((text) => planned(text, inlineSecret)),
  ];
}
