import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ConsentFacts } from '@portolan/run-spec';
import { findAbove } from '@portolan/scheme-kit';
import type { WorkloadContext } from '../workload-context.ts';

type FactsContext = Pick<WorkloadContext, 'directories' | 'environment' | 'home' | 'workingDirectory'>;

/**
 * Returns the facts about this machine that decide what a setting gives access to. The settings of an entry
 * or file may cause writes only below the state folder of `workload`.
 */
export function consentFacts(
  { directories, environment, home, workingDirectory }: FactsContext,
  workload: string | undefined,
  addressesOf: ConsentFacts['addressesOf'] = () => [],
): ConsentFacts {
  const { config, runConfigs, statuses, secrets, policies, logs, runtime, groups } = directories;
  const roots = [runConfigs, statuses].map((folder) => path.dirname(folder));
  return {
    home,
    workingDirectory,
    ownFolders: [...new Set([config, ...roots, secrets, policies, logs, groups, runtime])],
    engineSockets: engineSockets(environment, home),
    stateFolder: workload === undefined ? undefined : path.join(policies, workload),
    realPath,
    isSocket,
    moduleFolder: (folder) => findAbove(folder, 'go.mod') ?? folder,
    addressesOf,
  };
}

const SOCKET_VARIABLES = [
  'PORTOLAN_PODMAN_SOCKET',
  'PORTOLAN_DOCKER_SOCKET',
  'PORTOLAN_COLIMA_SOCKET',
  'DOCKER_HOST',
  'CONTAINER_HOST',
];

const HOME_SOCKETS = [
  '.docker/run/docker.sock',
  '.docker/desktop/docker.sock',
  '.rd/docker.sock',
  '.orbstack/run/docker.sock',
  '.colima/default/docker.sock',
  '.lima/docker/sock/docker.sock',
  '.local/share/containers/podman/machine/podman.sock',
];

function engineSockets(environment: WorkloadContext['environment'], home: string): readonly string[] {
  const named = SOCKET_VARIABLES.flatMap((name) => {
    const value = environment[name] ?? '';
    const file = value.startsWith('unix://') ? value.slice('unix://'.length) : value;
    return path.isAbsolute(file) ? [file] : [];
  });
  const runtimeFolder = environment['XDG_RUNTIME_DIR'];
  const ofUser = runtimeFolder === undefined ? [] : ['docker.sock', 'podman/podman.sock', 'bus'];
  return [
    ...named,
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/run/podman/podman.sock',
    '/run/containerd/containerd.sock',
    '/run/crio/crio.sock',
    ...ofUser.map((name) => path.join(runtimeFolder ?? '', name)),
    ...HOME_SOCKETS.map((name) => path.join(home, name)),
  ];
}

function isSocket(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isSocket() === true;
  } catch {
    // A path that cannot be resolved cannot be mounted either, so it needs no facts.
    return false;
  }
}

/**
 * Resolves all symbolic links in a path. If the path does not exist, resolves its nearest existing parent
 * folder.
 */
function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(realPath(parent), path.basename(file));
  }
}
