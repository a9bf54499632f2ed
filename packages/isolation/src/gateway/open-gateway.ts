import { chmod } from 'node:fs/promises';
import type { Agent } from 'node:http';
import type {
  ContainerNetwork,
  EngineDescription,
  ImageProgress,
  Labels,
  Logger,
  ContainerEngine,
} from '@portolan/plugin-api';
import type { EgressListener } from '../policy/egress-event.ts';
import type { EgressPolicy } from '../policy/egress-judge.ts';
import type { PublishedPort } from '../gate/publish-port.ts';
import { gatewayNotAdopted } from './gateway-errors.ts';
import { type MadeImages, provideGatewayImage } from './gateway-image.ts';
import { GatewayParts, mapsUsers } from './gateway-parts.ts';
import { gatewaySpec } from './gateway-spec.ts';

export interface GatewayOptions {
  readonly workload: string;
  readonly containerName: string;
  readonly labels: Labels;
  /** From `makeRuntimeFolder`; its sockets are removed with the gateway, the folder is the caller's. */
  readonly folder: string;
  /** Left out: nothing leads out (network mode `none`). See `egressPolicyOf`. */
  readonly egress?: EgressPolicy | undefined;
  /** Ports of the workload that are reached from here. */
  readonly ingress: readonly number[];
  readonly runtime: ContainerEngine;
  readonly engine: EngineDescription;
  /** `--gateway-image`, or the setting `gateway.image`. */
  readonly gatewayImage?: string | undefined;
  /** Of the gateway's image, where it has to be made. */
  readonly imageLabels?: Labels | undefined;
  /** Ids of the gateway's images that were made here. */
  readonly madeImages: MadeImages;
  /** Hears each decision of the policy engine once, when it is final. */
  readonly onEvent: EgressListener;
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly logger: Logger;
  /** Whose sockets the gateway uses; left out, the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly signal?: AbortSignal | undefined;
}

/** The closed network of a workload: a gateway container, and the gate on this side of it. */
export interface OpenGateway {
  readonly containerId: string;
  /** The network of every container of the workload, and of a build. */
  readonly network: Extract<ContainerNetwork, { readonly mode: 'joined' }>;
  /** Variables for the workload's containers, over the user's own; none where nothing leads out. */
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the Unix socket that leads to a port of the workload; only of those in `ingress`. */
  ingressPath(port: number): string;
  /** An agent for `node:http` whose every connection leads to a port of the workload. The caller destroys it. */
  ingressAgent(port: number): Agent;
  /** Opens a port of this host that leads to one of the workload. Throws ERR_PUBLISHED_PORT_TAKEN. */
  publish(address: string, hostPort: number, containerPort: number): Promise<PublishedPort>;
  /** Cuts the workload off and removes the gateway's container and sockets; a second call does nothing more. */
  close(): Promise<void>;
  /** Closes this side only: the container stays, for `adoptGateway`, and lets nothing through. */
  release(): Promise<void>;
}

/** A gateway that is being started: containers that join its network can be made already, but not started. */
export interface StartingGateway extends Pick<OpenGateway, 'containerId' | 'network' | 'environment'> {
  /** Resolves when the relay listens; when it rejects, nothing is left of the gateway. */
  ready(): Promise<OpenGateway>;
}

/**
 * Starts a gateway and waits until its relay listens. Throws ERR_GATEWAY,
 * ERR_GATEWAY_IMAGE, ERR_GATEWAY_PORT, and what the runtime throws; then
 * nothing of it is left.
 */
export async function openGateway(options: GatewayOptions): Promise<OpenGateway> {
  return await (await beginGateway(options)).ready();
}

/** The same in two steps, for whoever has something to do meanwhile. `ready` has to be called. */
export async function beginGateway(options: GatewayOptions): Promise<StartingGateway> {
  const { runtime, engine, signal } = options;
  const image = await provideGatewayImage({ ...options, base: options.gatewayImage });
  const parts = new GatewayParts(options);
  try {
    // A user namespace has other users: the folder's parent keeps all others of this machine out.
    if (mapsUsers(engine)) await chmod(options.folder, 0o777);
    const spec = gatewaySpec({ ...options, image, user: options.user ?? ownUser() });
    const [opened, created] = await Promise.allSettled([
      parts.openGate(),
      runtime.createContainer(spec, signal),
    ]);
    if (created.status === 'rejected') throw created.reason;
    parts.containerId = created.value;
    if (opened.status === 'rejected') throw opened.reason;
  } catch (error) {
    await parts.undo();
    throw error;
  }
  const started = parts.start();
  started.catch(() => undefined); // `ready` tells
  const opened = parts.opened();
  return {
    containerId: opened.containerId,
    network: opened.network,
    environment: opened.environment,
    ready: async () => {
      try {
        await started;
        return opened;
      } catch (error) {
        await parts.undo();
        throw error;
      }
    },
  };
}

/**
 * Opens the gate of a gateway whose supervisor has died: its relay finds the
 * new one within a second. Throws ERR_GATEWAY_GONE when the container does not
 * run, or had its sockets over the connection that died with its supervisor;
 * the container is left as it is.
 */
export async function adoptGateway(options: GatewayOptions, containerId: string): Promise<OpenGateway> {
  const { workload, runtime, engine, signal } = options;
  if (!engine.sharesSockets) throw gatewayNotAdopted(workload, 'it is on another machine');
  const found = await runtime.inspectContainer(containerId, signal);
  if (found?.state.running !== true) {
    throw gatewayNotAdopted(workload, found === undefined ? 'there is none' : 'it does not run');
  }
  const parts = new GatewayParts(options);
  parts.containerId = found.id;
  try {
    await parts.openGate();
    await parts.untilReady();
    return parts.opened();
  } catch (error) {
    await parts.release();
    throw error;
  }
}

function ownUser(): { readonly uid: number; readonly gid: number } | undefined {
  const { getuid, getgid } = process;
  return getuid === undefined || getgid === undefined ? undefined : { uid: getuid(), gid: getgid() };
}
