import { rm } from 'node:fs/promises';
import { beginGateway, type GatewayOptions, type StartingGateway } from '@portolan/isolation';
import { isUnreachable, untilReachable } from '../server/engine-calls.ts';
import type { JoinableNetwork } from './workload-network.ts';

export interface SessionNetworkOptions {
  readonly gateway: Omit<GatewayOptions, 'containerName' | 'folder' | 'signal'>;
  readonly name: string;
  readonly folder: string;
}

const GATEWAY_SUFFIX = '-gateway';

/**
 * Isolated network for the process of one session, with its own gateway. Processes of other sessions can
 * neither connect to its ports nor occupy them.
 */
export class SessionNetwork {
  readonly joinable: JoinableNetwork;
  readonly #options: SessionNetworkOptions;
  readonly #starting: StartingGateway;
  readonly #opened: ReturnType<StartingGateway['ready']>;
  readonly #over = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(options: SessionNetworkOptions, starting: StartingGateway) {
    this.#options = options;
    this.#starting = starting;
    this.#opened = starting.ready();
    this.#opened.catch(() => undefined); // the method `ready` reports the error
    const { network, environment } = starting;
    this.joinable = { network, environment, ready: () => this.#opened };
  }

  static async begin(options: SessionNetworkOptions, signal: AbortSignal): Promise<SessionNetwork> {
    const { gateway, name, folder } = options;
    try {
      const containerName = `${name}${GATEWAY_SUFFIX}`;
      return new SessionNetwork(options, await beginGateway({ ...gateway, containerName, folder, signal }));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Calls `lost` when the gateway ends before `close`. The containers in its network then have no connection
   * any more.
   */
  async whenLost(lost: () => void): Promise<void> {
    const { runtime, logger } = this.#options.gateway;
    const { signal } = this.#over;
    try {
      await this.#opened;
      await runtime.waitForExit(this.#starting.containerId, signal);
    } catch (error) {
      // Nothing to report: no container has joined a network that failed to open. If the engine is
      // unavailable, the connection to the process is broken anyway.
      if (!signal.aborted) logger.debug({ error }, 'gateway of a session cannot be watched');
      return;
    }
    if (!signal.aborted) lost();
  }

  /** Removes the gateway and the folder of its sockets. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#over.abort();
    const { folder, name, gateway } = this.#options;
    try {
      // If the gateway failed to open, its container is already removed.
      const opened = await this.#opened.catch(() => undefined);
      await opened?.close();
    } catch (error) {
      gateway.logger.error({ error, container: name }, 'gateway of a session could not be removed');
      if (isUnreachable(error)) void this.#closeLater();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Removes the gateway once the engine is available again. If the supervisor ends before that, `doctor`
   * finds the gateway.
   */
  async #closeLater(): Promise<void> {
    const { name, gateway } = this.#options;
    try {
      const opened = await this.#opened;
      await untilReachable(() => opened.close(), new AbortController().signal);
    } catch (error) {
      gateway.logger.error({ error, container: name }, 'gateway of a session could not be removed');
    }
  }
}
