import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** An engine that answers pings, and everything else as the test says. */
export interface FakeEngine {
  readonly requests: readonly string[];
  /** Cuts every connection that is open. */
  cut(): void;
  close(): Promise<void>;
}

/** `headers` are those of its answer to a ping. */
export async function startFakeEngine(
  path: string,
  respond: (request: IncomingMessage, response: ServerResponse) => void = () => undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<FakeEngine> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === '/_ping') response.writeHead(200, headers).end('OK');
    else respond(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  await new Promise<void>((resolve, reject) => void server.on('error', reject).listen(path, resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    requests,
    cut,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve));
      cut();
      await closed;
    },
  };
}
