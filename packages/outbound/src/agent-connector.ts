import type { Agent, AgentOptions, ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';

/**
 * Creates an undici connector that connects with a `node:http` agent. The agent determines the target and
 * which certificates are trusted.
 */
export function agentConnector(agent: Agent, connectMs: number): buildConnector.connector {
  return ({ hostname, port, servername }, callback) => {
    let isSettled = false;
    const settle = (error: Error | null, socket: Socket | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      if (socket === null) callback(error ?? new Error('no connection'), null);
      else callback(null, socket);
    };
    const timer = setTimeout(() => {
      settle(tooSlow(connectMs), null);
      started?.destroy();
    }, connectMs);
    let started: Socket | undefined;
    const begin = (stream: Duplex | null | undefined): void => {
      if (stream === null || stream === undefined || started !== undefined) return;
      // SAFETY: agents create sockets, or streams that behave like them (undici's type is `net.Socket`).
      const socket = stream as Socket;
      started = socket;
      if (isSettled) return void socket.destroy();
      if (socket.destroyed) return settle(socket.errored ?? new Error('the connection was closed'), null);
      socket.on('error', (error) => settle(error, null));
      socket.once('close', () => settle(new Error('the connection was closed'), null));
      const hasShakenHands = !(socket instanceof TLSSocket) || socket.getFinished() !== undefined;
      const isReady = !socket.connecting && hasShakenHands;
      if (isReady) settle(null, socket);
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => settle(null, socket));
    };
    const options = { ...optionsOf(agent), host: hostname, port: Number(port), servername };
    begin(
      // Node's agents call back without arguments once connected; others pass the stream, or the error.
      agent.createConnection(options, (error?: Error | null, stream?: Duplex) => {
        if (error instanceof Error) settle(error, null);
        else begin(stream);
      }),
    );
  };
}

/** Returns the agent's options, which Node merges with those of each request. */
function optionsOf(agent: Agent): Partial<ClientRequestArgs> {
  // SAFETY: every Node agent has `options`, although its types omit them.
  const { options } = agent as Agent & { readonly options?: AgentOptions & { readonly socketPath?: string } };
  const { socketPath } = options ?? {};
  return { ...options, ...(socketPath === undefined ? {} : { path: socketPath }) };
}

function tooSlow(connectMs: number): Error {
  const error = new Error(`no connection within ${connectMs} ms`);
  return Object.assign(error, { code: 'UND_ERR_CONNECT_TIMEOUT' });
}
