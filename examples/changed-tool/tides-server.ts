// A remote server for this example. It sends the tools in tools.json as they are at the time of a request.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';

const TOOLS = path.join(import.meta.dirname, 'tools.json');

const server = createServer((request, response) => {
  void respond(request).then(({ status, body }) => {
    response.writeHead(status, body === undefined ? {} : { 'Content-Type': 'application/json' });
    response.end(body);
  });
});

async function respond(
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body?: string }> {
  if (request.method !== 'POST') return { status: 405 };
  // SAFETY: the only client is the proxy of this example, which sends JSON-RPC messages.
  const { id, method, params } = (await json(request)) as {
    readonly id?: number | string;
    readonly method: string;
    readonly params?: { readonly protocolVersion?: string; readonly name?: string };
  };
  if (id === undefined) return { status: 202 };
  const result = resultOf(method, params?.protocolVersion);
  const outcome = result === undefined ? { error: { code: -32601, message: 'unknown method' } } : { result };
  return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) };
}

function resultOf(method: string, protocolVersion: string | undefined): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'tides', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: JSON.parse(readFileSync(TOOLS, 'utf8')) };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'high water at 14:20' }] };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

server.listen(Number(process.env['PORT'] ?? 8933), '127.0.0.1', () => {
  // SAFETY: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`tides server listens at http://127.0.0.1:${port}/mcp\n`);
});
process.once('SIGTERM', () => server.close().closeAllConnections());
