import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/**
 * A port of 127.0.0.1 that nobody listens on now, for programs that cannot be
 * given port 0; somebody else may be quicker, so whoever can tries again.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens, and not on a pipe.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
