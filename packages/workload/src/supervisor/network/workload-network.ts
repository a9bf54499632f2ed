import { rm } from 'node:fs/promises';
import type { Agent } from 'node:http';
import path from 'node:path';
import type { ContainerNetwork, Logger, ContainerEngine } from '@portolan/plugin-api';
import type { PublishedPort } from '@portolan/run-spec';
import {
  type GatewayOptions,
  type OpenGateway,
  type StartingGateway,
  adoptGateway,
  beginGateway,
  ingressSocket,
  openIngressAgent,
} from '@portolan/isolation';
import type { Lifecycle } from '../process/lifecycle.ts';
import { untilReachable } from '../server/engine-calls.ts';
import { KeepAlive, RESTART_LIMITS } from '../server/keep-alive.ts';
import { gatewayLost } from '../supervise-errors.ts';

export interface NetworkOptions {
  readonly workload: string;
  readonly gateway: Omit<GatewayOptions, 'signal'>;
  readonly runtime: ContainerEngine;
  readonly publish: readonly PublishedPort[];
  readonly publishAddress: string;
  readonly foreground: boolean;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
}

export interface JoinableNetwork {
  readonly network: ContainerNetwork;
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when the gateway listens. No container may start before. */
  ready(): Promise<unknown>;
}

/** Maximum wait for an unavailable engine on close, in milliseconds. */
const CLOSE_MS = 20_000;

/**
 * Isolated network of a workload, with a gateway that is restarted when it ends. Containers of an ended
 * gateway stay without a connection, so `onLost` notifies the code that owns them.
 */
export class WorkloadNetwork {
  readonly #options: NetworkOptions;
  readonly #alive: KeepAlive;
  readonly #lost: (() => void)[] = [];
  readonly #stop = new AbortController();
  readonly #ports = new Map<number, number>();
  #current: Promise<JoinableNetwork> | undefined;
  #opening: Promise<void> | undefined;
  #gateway: OpenGateway | undefined;
  #keeping: Promise<void> | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#alive = new KeepAlive(RESTART_LIMITS);
  }

  async open(adopted: string | undefined): Promise<void> {
    const { gateway, lifecycle } = this.#options;
    const options = { ...gateway, signal: lifecycle.signal };
    if (adopted !== undefined) {
      const open = await adoptGateway(options, adopted);
      await this.#take(open);
      this.#current = Promise.resolve({ ...open, ready: () => Promise.resolve() });
    } else {
      const starting = await beginGateway(options);
      this.#current = Promise.resolve(this.#joinable(starting));
    }
    this.#keeping = this.#keep();
  }

  /** Returns the network that containers join. Waits while the gateway restarts. */
  async current(): Promise<JoinableNetwork> {
    if (this.#current === undefined) throw new TypeError('the network is not open');
    return await this.#current;
  }

  onLost(listener: () => void): void {
    this.#lost.push(listener);
  }

  /** Returns an agent for a port of the workload, which stays valid across restarts of the gateway. */
  agent(port: number): Agent {
    return openIngressAgent(path.join(this.#options.gateway.folder, ingressSocket(port)));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#keeping;
    const gateway = this.#gateway;
    try {
      if (gateway !== undefined) await untilReachable(() => gateway.close(), AbortSignal.timeout(CLOSE_MS));
    } finally {
      await rm(this.#options.gateway.folder, { recursive: true, force: true });
    }
  }

  #joinable(starting: StartingGateway): JoinableNetwork {
    const opening = starting.ready().then((open) => this.#take(open));
    opening.catch(() => undefined); // `ready` reports the error
    this.#opening ??= opening;
    const { network, environment } = starting;
    return { network, environment, ready: () => opening };
  }

  async #take(open: OpenGateway): Promise<void> {
    this.#gateway = open;
    const { publish, publishAddress } = this.#options;
    for (const { hostPort, containerPort } of publish) {
      const requested = hostPort ?? this.#ports.get(containerPort) ?? 0;
      const { port } = await open.publish(publishAddress, requested, containerPort);
      this.#ports.set(containerPort, port);
    }
  }

  async #keep(): Promise<void> {
    const { runtime, lifecycle, logger, foreground, workload } = this.#options;
    const signal = this.#stop.signal;
    while (!signal.aborted) {
      const since = performance.now();
      try {
        await this.#opening;
        if (this.#gateway === undefined) return;
        await runtime.waitForExit(this.#gateway.containerId, signal);
      } catch (error) {
        if (signal.aborted || lifecycle.isStarting) return; // code that starts the workload reports the error
        logger.warn({ error }, 'gateway could not be opened');
      }
      if (signal.aborted || lifecycle.isOver) return;
      this.#alive.failed(performance.now() - since);
      const reason = new Error('its container ended');
      if (foreground || lifecycle.isStarting || this.#alive.isFailing) {
        lifecycle.finish({ how: 'failed', error: gatewayLost(workload, reason) });
        return;
      }
      logger.warn({ delay_ms: this.#alive.delayMs }, 'gateway ended; it is reopened');
      const next = this.#reopen();
      this.#current = next;
      this.#opening = next.then((open) => open.ready()).then(() => undefined);
      this.#opening.catch(() => undefined); // the next iteration of this loop retries
      for (const listener of this.#lost) listener();
    }
  }

  async #reopen(): Promise<JoinableNetwork> {
    const { gateway, lifecycle } = this.#options;
    const { signal } = this.#stop;
    const before = this.#gateway;
    if (before !== undefined) await untilReachable(() => before.close(), signal);
    this.#gateway = undefined;
    await this.#alive.pause(signal);
    const options = { ...gateway, signal: lifecycle.signal };
    return this.#joinable(await untilReachable(() => beginGateway(options), signal));
  }
}
