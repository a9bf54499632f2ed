import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';

/**
 * Listens on a Unix socket. Removes a leftover socket of an earlier run, which is safe because the folder is
 * private. Rejects with the server's `error` event.
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
