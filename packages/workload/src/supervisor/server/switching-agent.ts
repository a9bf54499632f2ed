import { Agent, type AgentOptions } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** HTTP agent that connects to a changing local port. It calls `portOf` for each new connection. */
export class SwitchingAgent extends Agent {
  readonly #portOf: () => number | undefined;

  constructor(portOf: () => number | undefined) {
    super({ keepAlive: true });
    this.#portOf = portOf;
  }

  override createConnection(
    options: AgentOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex {
    // A connection to port 0 fails, which is correct while the server restarts and has no port.
    const socket = connect({ ...options, host: '127.0.0.1', port: this.#portOf() ?? 0 });
    callback?.(null, socket);
    return socket;
  }
}
