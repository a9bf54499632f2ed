import { type EngineDescription, isJsonObject, type JsonObject } from '@portolan/plugin-api';
import { answerMalformed } from '../errors.ts';
import type { EngineClient } from './engine-client.ts';
import { type PingResponse, pingEngine } from './engine-connection.ts';
import { readHostLimits } from './host-limits.ts';
import type { HostLimits } from './host-limits.ts';

export interface EngineFacts {
  readonly description: EngineDescription;
  readonly podman: boolean;
  readonly processors: number;
  readonly hostLimits: HostLimits;
  /**
   * Local folder where the engine stores images and containers; undefined when the engine is on another
   * machine.
   */
  readonly storageFolder: string | undefined;
}

/**
 * Image architectures by the machine name that an engine reports. Docker reports the kernel's name, Podman
 * the image's. Ambiguous names are omitted: `aarch64` is also the kernel of a Docker that runs `arm`.
 */
const IMAGE_ARCHITECTURES = new Map(
  Object.entries({ x86_64: 'amd64', amd64: 'amd64', arm64: 'arm64', ppc64le: 'ppc64le', s390x: 's390x' }),
);

export interface Host {
  readonly platform: NodeJS.Platform;
  readonly kernelRelease: string;
}

/**
 * Queries the properties of an engine. Local folders can be mounted with working sockets if the engine runs
 * on this Linux kernel and is reached by a socket.
 */
export async function describeEngine(
  client: EngineClient,
  host: Host,
  signal?: AbortSignal,
): Promise<EngineFacts> {
  const [hostLimits, pinged, info] = await Promise.all([
    readHostLimits(),
    client.call('respond to a ping', () => pingEngine(client.connection, signal), { signal }),
    client.call('describe itself', () => client.docker.info() as Promise<unknown>, { signal }),
  ]);
  if (!isJsonObject(info)) throw answerMalformed('info', undefined);
  const { podman, ...version } = versionIn(pinged, info) ?? (await askVersion(client, signal));
  const security = Array.isArray(info['SecurityOptions']) ? info['SecurityOptions'].map(String) : [];
  const onThisMachine =
    client.connection.address.over === 'socket' &&
    host.platform === 'linux' &&
    info['KernelVersion'] === host.kernelRelease &&
    info['OperatingSystem'] !== 'Docker Desktop';
  const root = info['DockerRootDir'];
  return {
    podman,
    hostLimits,
    storageFolder: onThisMachine && typeof root === 'string' ? root : undefined,
    processors: typeof info['NCPU'] === 'number' && info['NCPU'] > 0 ? info['NCPU'] : 1,
    description: {
      name: podman ? 'Podman Engine' : 'Docker Engine',
      ...version,
      address: client.address,
      addressFrom: client.from,
      rootless: security.some((option) => option.startsWith('name=rootless')),
      userNamespaces: security.some((option) => option.startsWith('name=userns')),
      sharesSockets: onThisMachine,
      keepsInputOpen: !podman, // Podman closes the input permanently when a client disconnects
      buildsInClosedNetwork: !podman, // Podman would silently use another network for the build
      announcesRemovals: !podman, // Podman kills the container first and marks it as removed a moment later
      opensLowPorts: !podman, // Docker allows low ports in each network namespace
    },
  };
}

interface EngineVersion extends Pick<EngineDescription, 'version' | 'apiVersion' | 'os' | 'architecture'> {
  readonly podman: boolean;
}

/**
 * Returns the engine's version from its ping and info responses. Undefined if a value is missing, as behind a
 * filtering proxy.
 */
function versionIn({ podman, apiVersion }: PingResponse, info: JsonObject): EngineVersion | undefined {
  const { ServerVersion: version, OSType: os, Architecture: machine } = info;
  const architecture = typeof machine === 'string' ? IMAGE_ARCHITECTURES.get(machine) : undefined;
  if (podman === undefined || architecture === undefined) return undefined;
  if (typeof version !== 'string' || typeof os !== 'string') return undefined;
  return { podman, version, apiVersion, os, architecture };
}

/** Requests the version in a separate call, which is slow: Docker starts three programs to respond. */
async function askVersion(client: EngineClient, signal: AbortSignal | undefined): Promise<EngineVersion> {
  const dockerVersion = await client.call('tell its version', () => client.docker.version(), { signal });
  const components: readonly { readonly Name: string }[] = dockerVersion.Components ?? [];
  return {
    podman: components.some(({ Name }) => Name === 'Podman Engine'),
    version: dockerVersion.Version,
    apiVersion: dockerVersion.ApiVersion,
    os: dockerVersion.Os,
    architecture: dockerVersion.Arch,
  };
}
