import { Agent, type AgentOptions } from 'node:http';
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

const READY_MS = 30_000;

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

  /** Waits until the relay listens. Rejects when the container ends or the time limit passes. */
  async untilReady(): Promise<void> {
    const { workload, runtime, signal } = this.#options;
    const settled = new AbortController();
    const late = AbortSignal.timeout(READY_MS);
    const combinedSignal = AbortSignal.any([settled.signal, late, ...(signal === undefined ? [] : [signal])]);
    const ended = runtime.waitForExit(this.containerId, combinedSignal).then(async (state) => {
      const status = state?.exitCode === undefined ? '' : ` with status ${state.exitCode}`;
      const words = await this.#channel?.lastError();
      throw relayFailed(workload, `its container ended${status}${words === undefined ? '' : ` (${words})`}`);
    });
    try {
      await Promise.race([this.#gateOrThrow().ready(combinedSignal), ended]);
    } catch (error) {
      if (error === late.reason) throw relayFailed(workload, 'it does not answer');
      throw error;
    } finally {
      settled.abort();
      ended.catch(() => undefined);
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
    if (this.#gate === undefined) throw new TypeError('The gateway has no open gate yet');
    return this.#gate;
  }
}

/** Returns whether user ids inside the gateway differ from those on this host. */
export function mapsUsers({ userNamespaces, rootless, sharesSockets }: EngineDescription): boolean {
  return sharesSockets && userNamespaces && !rootless;
}

export interface GatewayOptions {
  readonly workload: string;
  readonly containerName: string;
  readonly labels: Labels;
  /**
   * Folder from `makeRuntimeFolder`. Its sockets are removed with the gateway; the caller owns the folder.
   */
  readonly folder: string;
  /**
   * Policy for outgoing traffic. Undefined: no outgoing traffic (network mode `none`). See `egressPolicyOf`.
   */
  readonly egress?: EgressPolicy | undefined;
  readonly ingress: readonly number[];
  readonly runtime: ContainerEngine;
  readonly engine: EngineDescription;
  readonly gatewayImage?: string | undefined;
  readonly imageLabels?: Labels | undefined;
  readonly madeImages: MadeImages;
  readonly onEvent: EgressListener;
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly logger: Logger;
  /** Owner of the gateway's sockets. Default: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly signal?: AbortSignal | undefined;
}

/** Isolated network of a workload: a gateway container, and the gate on the host. */
export interface OpenGateway {
  readonly containerId: string;
  /** Network of every container of the workload, and of a build. */
  readonly network: Extract<ContainerNetwork, { readonly mode: 'joined' }>;
  /** Environment variables for the workload, which override the user's. Empty without outgoing traffic. */
  readonly environment: Readonly<Record<string, string>>;
  ingressPath(port: number): string;
  /** Returns an agent that always connects to a port of the workload. The caller destroys it. */
  ingressAgent(port: number): Agent;
  publish(address: string, hostPort: number, containerPort: number): Promise<PublishedPort>;
  /** Disconnects the workload and removes the gateway's container and sockets. Idempotent. */
  close(): Promise<void>;
  /**
   * Closes only the host side, so that `adoptGateway` can take over the container. Until then, the container
   * passes nothing.
   */
  release(): Promise<void>;
}

/** Returns an agent that always connects to this Unix socket, whichever host a request names. */
export function openIngressAgent(socketPath: string): Agent {
  // Node's agent applies its own options over each request's; its types omit this one.
  const options: AgentOptions & { readonly socketPath: string } = { keepAlive: true, socketPath };
  return new Agent(options);
}
