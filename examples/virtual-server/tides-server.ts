// A small MCP server for this example, over HTTP. It takes the place of a remote server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const TOOLS = [{ name: 'next_tide', description: 'Returns the next tide.', inputSchema: { type: 'object' } }];

/** Returns the result of a request. Undefined for a method that this server does not have. */
function resultOf({ method, params = {} }: Request): object | undefined {
  if (method === 'tools/list') return { tools: TOOLS };
  if (method === 'ping') return {};
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'high water at 14:20' }] };
  if (method !== 'initialize') return undefined;
  const serverInfo = { name: 'tides', version: '1.0.0' };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  // SAFETY: only the virtual server of this example sends requests.
  const message = (await json(request)) as Request;
  if (message.id === undefined) return response.writeHead(202).end(); // a notification
  const result = resultOf(message);
  const error = { code: -32601, message: 'method not found' };
  const reply = { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) };
  return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
});

server.listen(Number(process.env['PORT'] ?? 8933), '127.0.0.1', () => {
  // SAFETY: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`tides server listens at http://127.0.0.1:${port}/mcp\n`);
});
process.once('SIGTERM', () => server.close().closeAllConnections());
