import { type AddressInfo, connect, createServer } from 'node:net';
import { publishedPortUnusable } from '../errors.ts';
import { joinStreams } from '../proxy/join-streams.ts';

export interface PublishedPort {
  /** Actual port, also when 0 was requested. */
  readonly port: number;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 256;

/** Forwards connections to the Unix socket of the workload. Throws ERR_PORT_TAKEN. */
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
    // a failed accept: the next one may succeed
    server.removeAllListeners('error').on('error', () => undefined);
    resolve();
  });
  await promise;
  // SAFETY: the server listens on TCP, so its address has a port.
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
