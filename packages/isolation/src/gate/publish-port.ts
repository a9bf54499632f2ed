import { type AddressInfo, connect, createServer } from 'node:net';
import { publishedPortUnusable } from '../errors.ts';
import { joinStreams } from '../proxy/join-streams.ts';

export interface PublishedPort {
  /** The port that is listened on, also where 0 was asked for. */
  readonly port: number;
  /** Stops listening and cuts what is open. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 256;

/**
 * Listens on an address of this host and passes each connection on to the
 * Unix socket that leads into the workload; where nobody answers there, the
 * connection is reset. Throws ERR_PORT_TAKEN.
 */
export async function publishPort(address: string, port: number, socket: string): Promise<PublishedPort> {
  const open = new Set<{ destroy(): unknown }>();
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    const inward = connect({ path: socket, allowHalfOpen: true });
    for (const side of [client, inward]) {
      open.add(side);
      side.once('close', () => open.delete(side));
    }
    joinStreams(client, inward);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (cause) => reject(publishedPortUnusable(address, port, cause)));
  server.listen({ host: address, port }, () => {
    server.removeAllListeners('error').on('error', () => undefined); // an accept that failed: the next may work
    resolve();
  });
  await promise;
  // Listening over TCP, so it has a port.
  const { port: listening } = server.address() as AddressInfo;
  return {
    port: listening,
    close: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      for (const side of open) side.destroy();
      return closed.promise;
    },
  };
}
