import { Agent, type AgentOptions } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Agent that connects to the local port that `portOf` returns at that moment. */
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
    // Port 0 refuses connections, as during a restart of the server.
    const socket = connect({ ...options, host: '127.0.0.1', port: this.#portOf() ?? 0 });
    callback?.(null, socket);
    return socket;
  }
}
