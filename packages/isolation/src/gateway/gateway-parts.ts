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
import type { MadeImages } from './gateway-image.ts';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { type OpenChannel, openChannel } from '../gate/open-channel.ts';
import { relayFailed } from '../errors.ts';
import { type Gate, openGate } from '../gate/open-gate.ts';
import { PROXY_ENVIRONMENT } from '../relay/relay-program.ts';
import { CONTROL_SOCKET, EGRESS_SOCKET, ingressSocket } from '../gate/runtime-folder.ts';
import { openIngressAgent } from './ingress-agent.ts';

const READY_MS = 30_000;

/** What is open of a gateway, and how it is closed. */
export class GatewayParts {
  containerId = '';
  readonly #options: GatewayOptions;
  #gate: Gate | undefined;
  #channel: OpenChannel | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  async openGate(): Promise<void> {
    const { workload, folder, egress, ingress, onEvent, engine } = this.#options;
    this.#gate = await openGate({
      workload,
      folder,
      ingress,
      onEvent,
      ...(egress === undefined ? {} : { egress }),
    });
    if (!mapsUsers(engine)) return;
    const names = egress === undefined ? [CONTROL_SOCKET] : [CONTROL_SOCKET, EGRESS_SOCKET];
    for (const name of names) await chmod(path.join(folder, name), 0o666);
  }

  async start(): Promise<void> {
    const { runtime, engine, folder, ingress, signal } = this.#options;
    if (!engine.sharesSockets) {
      const attachment = await runtime.attachContainer(this.containerId, signal);
      this.#channel = await openChannel(attachment, folder, ingress);
    }
    await runtime.startContainer(this.containerId, signal);
    await this.untilReady();
  }

  /** Until the relay says so, its container ends, or nothing happens for too long. */
  async untilReady(): Promise<void> {
    const { workload, runtime, signal } = this.#options;
    const settled = new AbortController();
    const late = AbortSignal.timeout(READY_MS);
    const given = AbortSignal.any([settled.signal, late, ...(signal === undefined ? [] : [signal])]);
    const ended = runtime.waitForExit(this.containerId, given).then(async (state) => {
      const status = state?.exitCode === undefined ? '' : ` with status ${state.exitCode}`;
      const words = await this.#channel?.lastError();
      throw relayFailed(workload, `its container ended${status}${words === undefined ? '' : ` (${words})`}`);
    });
    try {
      await Promise.race([this.#gateOrThrow().ready(given), ended]);
    } catch (error) {
      if (error === late.reason) throw relayFailed(workload, 'it does not answer');
      throw error;
    } finally {
      settled.abort();
      ended.catch(() => undefined); // it was told to stop waiting
    }
  }

  opened(): OpenGateway {
    const gate = this.#gateOrThrow();
    const { containerId } = this;
    return {
      containerId,
      network: { mode: 'joined', container: containerId },
      environment: this.#options.egress === undefined ? {} : PROXY_ENVIRONMENT,
      ingressPath: (port) => gate.ingressPath(port),
      ingressAgent: (port) => openIngressAgent(gate.ingressPath(port)),
      publish: (address, hostPort, containerPort) => gate.publish(address, hostPort, containerPort),
      close: () => this.close(),
      release: () => this.release(),
    };
  }

  async close(): Promise<void> {
    const { runtime, folder, ingress } = this.#options;
    await this.release();
    const id = this.containerId;
    if (id !== '') await runtime.removeContainer(id);
    this.containerId = '';
    const names = [CONTROL_SOCKET, EGRESS_SOCKET, ...ingress.map(ingressSocket)];
    for (const name of names) await rm(path.join(folder, name), { force: true });
  }

  /** After a failure, which is what the caller hears of. */
  async undo(): Promise<void> {
    const { logger, containerName } = this.#options;
    try {
      await this.close();
    } catch (error) {
      logger.warn(
        { container: containerName, error },
        'a gateway that could not be opened could not be removed either',
      );
    }
  }

  async release(): Promise<void> {
    const [gate, channel] = [this.#gate, this.#channel];
    this.#channel = undefined;
    await Promise.all([gate?.close(), channel?.close()]);
  }

  #gateOrThrow(): Gate {
    if (this.#gate === undefined) throw new TypeError('The gate is not open yet');
    return this.#gate;
  }
}

/** Whether users in the gateway are other ones here, and none of them is ours. */
export function mapsUsers({ userNamespaces, rootless, sharesSockets }: EngineDescription): boolean {
  return sharesSockets && userNamespaces && !rootless;
}

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
  /** Opens a port of this host that leads to one of the workload. Throws ERR_PORT_TAKEN. */
  publish(address: string, hostPort: number, containerPort: number): Promise<PublishedPort>;
  /** Cuts the workload off and removes the gateway's container and sockets; a second call does nothing more. */
  close(): Promise<void>;
  /** Closes this side only: the container stays, for `adoptGateway`, and lets nothing through. */
  release(): Promise<void>;
}
