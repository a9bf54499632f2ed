import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';

/**
 * Listens on a Unix socket. A socket that an earlier run left at the path is
 * removed: the folder is ours alone. Rejects as the server's `error` event says.
 */
export async function listenOn(server: Server, socket: string): Promise<void> {
  await rm(socket, { force: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(socket, () => {
    server.off('error', reject);
    resolve();
  });
  await promise;
}
