// A small MCP server of this example, over HTTP. It serves only requests that are signed with the
// key in the file `tides-key`.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { textToSign } from './signed-requests.ts';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

const key = (await readFile(path.join(import.meta.dirname, 'tides-key'), 'utf8')).trim();
const TOOLS = [
  { name: 'next_tide', description: 'Returns when the next tide is.', inputSchema: { type: 'object' } },
];

async function isSigned({ method = '', headers, url }: IncomingMessage, body: string): Promise<boolean> {
  const outgoing = {
    method,
    url: new URL(`http://${headers.host}${url}`),
    headers,
    bodyHash: async () => createHash('sha256').update(body).digest('hex'),
  };
  const signed = await textToSign(outgoing, String(headers['x-signed-at']));
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  const [expected, actual] = [
    Buffer.from(`Signature keyId="tides", signature="${signature}"`),
    Buffer.from(headers.authorization ?? ''),
  ];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** Returns the result of a request; undefined for a method that this server does not have. */
function resultOf({ method, params = {} }: Request): object | undefined {
  if (method === 'tools/list') return { tools: TOOLS };
  if (method === 'ping') return {};
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'high water at 14:20' }] };
  if (method !== 'initialize') return undefined;
  const serverInfo = { name: 'tides', version: '1.0.0' };
  return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (!(await isSigned(request, body))) return response.writeHead(401).end();
  if (request.method !== 'POST') return response.writeHead(405).end();
  // SAFETY: the signature shows that the client knows the key.
  const message = JSON.parse(body) as Request;
  if (message.id === undefined) return response.writeHead(202).end(); // a notification
  const result = resultOf(message);
  const error = { code: -32601, message: 'method not found' };
  const reply = { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) };
  return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(reply));
});

server.listen(Number(process.env['PORT'] ?? 8932), '127.0.0.1', () => {
  // SAFETY: a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`tides server listens at http://127.0.0.1:${port}/mcp\n`);
});
process.once('SIGTERM', () => server.close().closeAllConnections());
