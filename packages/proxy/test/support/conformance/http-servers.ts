import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
// oxlint-disable-next-line typescript/no-deprecated -- the transport under test
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventsInMemory } from './events-in-memory.ts';
import { createLegacyServer } from './legacy-server.ts';
import { createModernServer } from './modern-server.ts';

export interface RunningServer {
  /** URL with the path of the endpoint. */
  readonly url: URL;
  close(): Promise<void>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Starts the Legacy server over streamable HTTP with sessions. */
export function startLegacyServer(): Promise<RunningServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return start(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) {
      await known.handleRequest(request, response);
      return;
    }
    if (id !== undefined) {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"}}');
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventsInMemory(),
      retryInterval: 50,
      onsessioninitialized: (minted) => void sessions.set(minted, transport),
      onsessionclosed: (ended) => void sessions.delete(ended),
    });
    await createLegacyServer().connect(transport);
    await transport.handleRequest(request, response);
  });
}

/** Starts the Legacy server over HTTP+SSE. */
export function startEventsServer(): Promise<RunningServer> {
  const sessions = new Map<string, SSEServerTransport>();
  return start(async (request, response) => {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      response.once('close', () => sessions.delete(transport.sessionId));
      return await createLegacyServer().connect(transport);
    }
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? '';
    const known = sessions.get(id);
    if (known === undefined) response.writeHead(404).end();
    else await known.handlePostMessage(request, response);
  });
}

/** Starts the Modern server, which has no handshake. */
export async function startModernServer(): Promise<RunningServer> {
  const handler = createMcpHandler(
    () =>
      createModernServer((list) =>
        list === 'tools' ? handler.notify.toolsChanged() : handler.notify.promptsChanged(),
      ),
    { legacy: 'reject' },
  );
  const handle = toNodeHandler(handler);
  // SAFETY: the request is one of Node's HTTP server, as the handler expects.
  const server = await start(async (request, response) =>
    handle(request as Parameters<typeof handle>[0], response),
  );
  return {
    url: server.url,
    close: async () => {
      await handler.close();
      await server.close();
    },
  };
}

async function start(handle: Handle): Promise<RunningServer> {
  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  const server: Server = createServer((request, response) => {
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // SAFETY: the server listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://localhost:${port}/mcp`),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
