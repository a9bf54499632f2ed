import type { ServerResponse } from 'node:http';
import type { Handle, Received } from './http-backend.ts';

export interface Rpc {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly id?: unknown;
  readonly method?: string;
}

/** Parses the message of a POST. */
export function messageIn({ body }: Received): Rpc {
  // SAFETY: a connection sends only JSON-RPC messages.
  return body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Rpc);
}

export function json(
  response: ServerResponse,
  body: object,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function stream(response: ServerResponse, ...pieces: readonly string[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.flushHeaders();
  for (const piece of pieces) response.write(piece);
}

const SESSION = { 'Mcp-Session-Id': 'one' };

/**
 * Returns a handler that responds to handshakes and notifications, and passes everything else to `handle`.
 */
export function legacy(handle: Handle): Handle {
  return (request, response) => {
    const { id, method } = messageIn(request);
    if (request.method === 'DELETE') response.writeHead(200).end();
    else if (request.method === 'GET' && request.headers['last-event-id'] === undefined)
      response.writeHead(405).end();
    else if (method === 'initialize')
      json(response, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } }, SESSION);
    else if (request.method === 'POST' && id === undefined) response.writeHead(202).end();
    else handle(request, response);
  };
}

/**
 * Returns a handler that does the same over HTTP+SSE. `handle` responds to the POSTs of the test's requests.
 */
export function events(handle: Handle): Handle {
  let open: ServerResponse | undefined;
  return (request, response) => {
    if (request.method === 'GET') {
      open = response;
      return stream(response, 'event: endpoint\ndata: /messages?session=1\n\n');
    }
    const { id, method } = messageIn(request);
    if (method !== 'initialize')
      return id === undefined ? void response.writeHead(202).end() : handle(request, response);
    response.writeHead(202).end();
    const message = JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05' } });
    open?.write(`data: ${message}\n\n`);
  };
}
