import { type EngineDescription, isJsonObject } from '@portolan/plugin-api';
import { answerMalformed } from '../errors.ts';
import type { EngineClient } from './engine-client.ts';
import { pingEngine } from './engine-connection.ts';
import { readHostLimits } from './host-limits.ts';
import type { HostLimits } from './host-limits.ts';

/** What the engine says about itself, and what follows from it for containers. */
export interface EngineFacts {
  readonly description: EngineDescription;
  readonly podman: boolean;
  readonly processors: number;
  readonly hostLimits: HostLimits;
}

/** Architectures as images name them, by the names of kernels, which Docker tells; where they differ. */
const IMAGE_ARCHITECTURES: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  armv6l: 'arm',
  armv7l: 'arm',
  i386: '386',
  i686: '386',
  loongarch64: 'loong64',
};

export interface Host {
  readonly platform: NodeJS.Platform;
  readonly kernelRelease: string;
}

/**
 * Asks the engine what it is. Folders of this machine can be mounted with
 * their sockets working when the engine runs on this very Linux kernel and is
 * reached by a socket: not on another machine, and not in a virtual one.
 */
export async function describeEngine(
  client: EngineClient,
  host: Host,
  signal?: AbortSignal,
): Promise<EngineFacts> {
  // What it says of its version is in both answers; asked for by itself, it starts three programs to find that out.
  const [hostLimits, { podman, apiVersion }, info] = await Promise.all([
    readHostLimits(),
    client.call('answer a ping', () => pingEngine(client.connection, signal), { signal }),
    client.call('describe itself', () => client.docker.info() as Promise<unknown>, { signal }),
  ]);
  if (!isJsonObject(info)) throw answerMalformed('info', undefined);
  const architecture = textOf(info['Architecture']);
  const security = Array.isArray(info['SecurityOptions']) ? info['SecurityOptions'].map(String) : [];
  const sharesKernel = host.platform === 'linux' && info['KernelVersion'] === host.kernelRelease;
  return {
    podman,
    hostLimits,
    processors: typeof info['NCPU'] === 'number' && info['NCPU'] > 0 ? info['NCPU'] : 1,
    description: {
      name: podman ? 'Podman Engine' : 'Docker Engine',
      version: textOf(info['ServerVersion']),
      apiVersion,
      os: textOf(info['OSType']),
      architecture: IMAGE_ARCHITECTURES[architecture] ?? architecture,
      address: client.address,
      addressFrom: client.from,
      rootless: security.some((option) => option.startsWith('name=rootless')),
      userNamespaces: security.some((option) => option.startsWith('name=userns')),
      sharesSockets:
        client.connection.address.over === 'socket' &&
        sharesKernel &&
        info['OperatingSystem'] !== 'Docker Desktop',
      keepsInputOpen: !podman, // Podman closes it for good when a client goes
      buildsInClosedNetwork: !podman, // Podman takes another network, and does not even say so
      opensLowPorts: !podman, // Docker lowers the limit in each network namespace
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
