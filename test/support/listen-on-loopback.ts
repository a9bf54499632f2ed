import { once } from 'node:events';
import type { Server } from 'node:net';

/** Starts to listen on 127.0.0.1 at the given or a free port, and returns the port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('it listens at a path');
  return address.port;
}
