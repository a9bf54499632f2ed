import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import type { EngineDescription } from '@portolan/plugin-api';
import { type OpenChannel, openChannel } from '../gate/open-channel.ts';
import { relayFailed } from '../errors.ts';
import { type Gate, openGate } from '../gate/open-gate.ts';
import { PROXY_ENVIRONMENT } from '../relay/relay-program.ts';
import { CONTROL_SOCKET, EGRESS_SOCKET, ingressSocket } from '../gate/runtime-folder.ts';
import { openIngressAgent } from './ingress-agent.ts';
import type { GatewayOptions, OpenGateway } from './open-gateway.ts';

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
