import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineAddress } from './engine-address.ts';
import { parseEngineAddress } from './engine-address.ts';
import {
  dockerClientFolder,
  readDockerClientConfig,
  readDockerContext,
  readTls,
} from './docker-client-config.ts';

/** Facts about this machine and user that decide where to look for an engine. */
export interface EngineContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Temporary folder, in which Podman's virtual machine has its socket on macOS. */
  readonly temporaryFolder: string;
}

export interface EngineCandidate {
  readonly address: EngineAddress;
  /** Origin of the address, for messages: a variable, a context, or a default location. */
  readonly from: string;
}

/** Variables with the path of an engine's socket, highest precedence first. */
const SOCKET_VARIABLES = ['PORTOLAN_PODMAN_SOCKET', 'PORTOLAN_DOCKER_SOCKET', 'PORTOLAN_COLIMA_SOCKET'];

function wantsPodman(environment: EngineContext['environment']): boolean {
  return environment['PORTOLAN_RUNTIME'] === 'podman';
}

/**
 * Returns the engine that is configured explicitly; undefined for none. Order: `PORTOLAN_…_SOCKET` variables,
 * the configuration, `DOCKER_HOST`, the current Docker context. With `PORTOLAN_RUNTIME=podman`,
 * `CONTAINER_HOST` replaces the last two. An unresponsive configured engine is an error, without a fallback.
 */
export async function namedEngine(
  context: EngineContext,
  configured: string | undefined,
): Promise<EngineCandidate | undefined> {
  const { environment, home } = context;
  const isPodman = wantsPodman(environment);
  for (const name of SOCKET_VARIABLES.slice(0, isPodman ? 1 : undefined)) {
    const value = environment[name];
    if (value) return { address: socketOrAddress(value, name), from: name };
  }
  if (configured !== undefined) {
    return {
      address: await withClientTls(configured, 'the configuration', context),
      from: 'the configuration',
    };
  }
  if (isPodman) {
    const address = environment['CONTAINER_HOST'];
    const from = 'CONTAINER_HOST';
    return address ? { address: parseEngineAddress(address, from, undefined), from } : undefined;
  }
  const host = environment['DOCKER_HOST'];
  if (host) return { address: await withClientTls(host, 'DOCKER_HOST', context), from: 'DOCKER_HOST' };
  const folder = dockerClientFolder(environment, home);
  const chosen = environment['DOCKER_CONTEXT'];
  const name = chosen || (await readDockerClientConfig(folder)).currentContext;
  if (name === undefined || name === 'default') return undefined;
  const from = chosen ? 'DOCKER_CONTEXT' : join(folder, 'config.json');
  return { address: await readDockerContext(folder, name, from), from: `the Docker context "${name}"` };
}

function socketOrAddress(value: string, from: string): EngineAddress {
  return value.includes('://') ? parseEngineAddress(value, from, undefined) : { over: 'socket', path: value };
}

/** Adds certificates when DOCKER_TLS_VERIFY or DOCKER_TLS requests them, as Docker's client does. */
async function withClientTls(
  text: string,
  from: string,
  { environment, home }: EngineContext,
): Promise<EngineAddress> {
  const verify = Boolean(environment['DOCKER_TLS_VERIFY']);
  if (!verify && !environment['DOCKER_TLS']) return parseEngineAddress(text, from, undefined);
  const folder = environment['DOCKER_CERT_PATH'] || dockerClientFolder(environment, home);
  const none = { ca: undefined, cert: undefined, key: undefined, verify };
  return parseEngineAddress(text, from, (await readTls(folder, verify)) ?? none);
}

/**
 * Returns the default locations of Docker, Podman and Colima, or only Podman's when the user requires it. The
 * caller uses the first one that responds.
 */
export async function usualEngines(context: EngineContext): Promise<readonly EngineCandidate[]> {
  const { environment, home, platform, temporaryFolder } = context;
  const runtimeFolder = environment['XDG_RUNTIME_DIR'];
  const docker =
    platform === 'win32'
      ? ['//./pipe/docker_engine']
      : [
          '/var/run/docker.sock',
          ...(runtimeFolder ? [join(runtimeFolder, 'docker.sock')] : []),
          join(home, '.docker/run/docker.sock'),
          join(home, '.docker/desktop/docker.sock'),
          join(home, '.rd/docker.sock'),
          join(home, '.orbstack/run/docker.sock'),
        ];
  const podman =
    platform === 'win32'
      ? ['//./pipe/podman-machine-default']
      : [
          '/var/run/podman/podman.sock',
          ...(runtimeFolder ? [join(runtimeFolder, 'podman/podman.sock')] : []),
          join(home, '.local/share/containers/podman/machine/podman.sock'),
          ...(await machineSockets(join(temporaryFolder, 'podman'))),
        ];
  const colima = platform === 'win32' ? [] : [join(home, '.colima/default/docker.sock')];
  const podmans = podman.map((path) => candidate(path, 'Podman'));
  if (wantsPodman(environment)) return podmans;
  return [
    ...docker.map((path) => candidate(path, 'Docker')),
    ...podmans,
    ...colima.map((path) => candidate(path, 'Colima')),
  ];
}

/** Returns the sockets of Podman's virtual machines, which are named `NAME-api.sock`. */
async function machineSockets(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('-api.sock'))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    // The folder is absent or unreadable.
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

function candidate(path: string, engine: string): EngineCandidate {
  return { address: { over: 'socket', path }, from: `the usual place of ${engine}` };
}
