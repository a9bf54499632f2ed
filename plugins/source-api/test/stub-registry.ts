import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry on loopback whose rows and faults a test sets. */
export interface StubRegistry {
  readonly url: string;
  /** Requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  rows: readonly object[];
  /** Versions of the API that it speaks. */
  versions: readonly string[];
  /** Answers instead, where it answers true. */
  instead: (...exchange: Parameters<RequestListener>) => boolean | Promise<boolean>;
  close(): Promise<void>;
}

/** A row of a list of servers. */
export function row(name: string, version: string, official?: object, more: object = {}): object {
  const meta = official === undefined ? {} : { 'io.modelcontextprotocol.registry/official': official };
  return { server: { name, description: 'about it', version, ...more }, _meta: meta };
}

/** Pages of `limit` rows, with the number of the next row as the cursor. */
export async function startStubRegistry(): Promise<StubRegistry> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('connection', 'close');
    void (async () => {
      if (await stub.instead(request, response)) return;
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
      const isList = stub.versions.some((version) => pathname === `/base/${version}/servers`);
      if (!isList) {
        response.writeHead(404).end('{"error":"not found"}');
        return;
      }
      const from = Number(searchParams.get('cursor') ?? 0);
      const rows = stub.rows.slice(from, from + Number(searchParams.get('limit')));
      const next = from + rows.length;
      const more = next < stub.rows.length ? { nextCursor: String(next) } : {};
      response.end(JSON.stringify({ servers: rows, metadata: { count: rows.length, ...more } }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server on a port answers an object here, never a path.
  const { port } = server.address() as AddressInfo;
  const stub: StubRegistry = {
    url: `http://127.0.0.1:${port}/base`,
    requests,
    rows: [],
    versions: ['v0.1', 'v0'],
    instead: () => false,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return stub;
}
