import { rm } from 'node:fs/promises';
import { beginGateway, type GatewayOptions, type StartingGateway } from '@portolan/isolation';
import { isUnreachable, untilReachable } from '../server/engine-calls.ts';
import type { JoinableNetwork } from './workload-network.ts';

export interface SessionNetworkOptions {
  readonly gateway: Omit<GatewayOptions, 'containerName' | 'folder' | 'signal'>;
  /** Of the session's container; the gateway's is made from it. */
  readonly name: string;
  /** Made for this session alone, and removed with its network. */
  readonly folder: string;
}

const GATEWAY_SUFFIX = '-gateway';

/**
 * The closed network of one session's process: a gateway of its own, so that
 * what listens there is reached from no other session, and no other session has
 * taken its port.
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
    this.#opened.catch(() => undefined); // whoever waits for it is told
    const { network, environment } = starting;
    this.joinable = { network, environment, ready: () => this.#opened };
  }

  /** Begins to open it; throws what `beginGateway` throws, with nothing left. */
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

  /** Calls this when the gateway ends before it was closed: whatever has joined it is cut off for good. */
  async whenLost(lost: () => void): Promise<void> {
    const { runtime, logger } = this.#options.gateway;
    const { signal } = this.#over;
    try {
      await this.#opened;
      await runtime.waitForExit(this.#starting.containerId, signal);
    } catch (error) {
      // What could not be opened was never joined; and an engine that is away has broken the connection to the process as well.
      if (!signal.aborted) logger.debug({ error }, 'gateway of a session cannot be watched');
      return;
    }
    if (!signal.aborted) lost();
  }

  /** Removes gateway and folder. Safe to call twice; never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#over.abort();
    const { folder, name, gateway } = this.#options;
    try {
      // One that could not be opened has removed itself.
      const opened = await this.#opened.catch(() => undefined);
      await opened?.close();
    } catch (error) {
      gateway.logger.error({ error, container: name }, 'gateway of a session could not be removed');
      if (isUnreachable(error)) void this.#closeLater();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Once the engine is back; a supervisor that ends before leaves the gateway to `doctor`. */
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
