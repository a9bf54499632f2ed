import type { ContainerSpec, EngineDescription, Labels } from '@portolan/plugin-api';
import type { GatewayImage } from './gateway-image.ts';
import { SOCKET_FOLDER } from './gateway-layout.ts';

export interface GatewaySpecFacts {
  readonly containerName: string;
  readonly labels: Labels;
  readonly image: GatewayImage;
  readonly engine: EngineDescription;
  readonly folder: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const MEBIBYTE = 1024 * 1024;

/**
 * Returns the spec of the gateway's container: a network with loopback only, no privileges, no stored output,
 * no access to the engine. Its only mount is the socket folder, if the engine can share it; otherwise its
 * standard streams replace the folder.
 */
export function gatewaySpec(facts: GatewaySpecFacts): ContainerSpec {
  const { containerName, labels, image, engine, folder } = facts;
  const { sharesSockets } = engine;
  const user = userOf(facts);
  return {
    name: containerName,
    image: image.reference,
    entrypoint: sharesSockets ? image.command : image.channelCommand,
    command: [],
    environment: {},
    labels,
    ...(user === undefined ? {} : { user }),
    mounts: [
      sharesSockets
        ? { type: 'bind', source: folder, target: SOCKET_FOLDER, readOnly: false }
        : { type: 'tmpfs', target: SOCKET_FOLDER, sizeBytes: MEBIBYTE },
    ],
    network: { mode: 'none', dns: ['127.0.0.1'] },
    stdin: sharesSockets ? 'closed' : 'once',
    // The relay listens on the DNS port, which is below 1024.
    capabilities: engine.opensLowPorts ? [] : ['NET_BIND_SERVICE'],
    // The relay needs one socket for each port of an open host name.
    limits: { memoryBytes: 96 * MEBIBYTE, processes: 32, openFiles: 8192 },
    init: false, // the relay handles its own signals and has no children
    logs: 'none',
    stopGraceMs: 1000,
  };
}

function userOf({ engine, user }: GatewaySpecFacts): string | undefined {
  if (!engine.sharesSockets) return '65532:65532';
  if (engine.rootless) return '0:0'; // user 0 in a rootless container is the engine's user on the host
  return user === undefined ? undefined : `${user.uid}:${user.gid}`;
}
