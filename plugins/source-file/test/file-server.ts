import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FileServer {
  readonly url: string;
  /** Requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

/** A server on loopback that answers with the listener and keeps no connection. */
export async function startFileServer(listener: RequestListener): Promise<FileServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('connection', 'close');
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server on a port answers an object here, never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
