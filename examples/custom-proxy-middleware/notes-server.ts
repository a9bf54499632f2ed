// A small MCP server for this example, over HTTP. It accepts every client.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly protocolVersion?: string;
  };
}

const inputSchema = { type: 'object', properties: { tenant: { type: 'string' } } };
const TOOLS = [
  { name: 'read_note', description: 'Returns the note of a tenant.', inputSchema },
  { name: 'delete_all', description: 'Deletes all notes of a tenant.', inputSchema },
];

/** Returns the result of a request; undefined for a method that this server does not have. */
function resultOf({ method, params = {} }: Request): object | undefined {
  if (method === 'tools/list') return { tools: TOOLS };
  if (method === 'ping') return {};
  if (method === 'initialize') {
    const serverInfo = { name: 'notes', version: '1.0.0' };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method !== 'tools/call') return undefined;
  const tenant = String(params.arguments?.['tenant']);
  const text =
    params.name === 'delete_all'
      ? `deleted all of ${tenant}`
      : `note of ${tenant}: the password is swordfish`;
  return { content: [{ type: 'text', text }] };
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  // SAFETY: only the proxy of this example sends requests.
  const message = (await json(request)) as Request;
  if (message.id === undefined) return response.writeHead(202).end(); // a notification
  const result = resultOf(message);
  const error = { code: -32601, message: 'method not found' };
  const reply = { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) };
  return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
});

server.listen(Number(process.env['PORT'] ?? 8931), '127.0.0.1', () => {
  // SAFETY: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`notes server listens at http://127.0.0.1:${port}/mcp\n`);
});
process.once('SIGTERM', () => server.close().closeAllConnections());
