import type { ServerResponse } from 'node:http';
import type { Handle } from '../../../../packages/proxy/test/support/http-backend.ts';
import { modernScript } from '../../../../packages/proxy/test/support/modern-script.ts';
import { ScriptedServers } from '../../../../packages/proxy/test/support/scripted-server.ts';
import { type Era, isBarrier } from './guarded-clients.ts';

/** List responses of an HTTP server, and lines of a stdio server. */
export interface ListResponse {
  readonly http: (id: string, response: ServerResponse) => void;
  readonly line: (id: string) => string;
  /** Data for the stream of a session. */
  readonly events: (id: string) => string;
}

/** A list that is filtered on its way to the client. */
export interface Listing {
  readonly method: string;
  /** Member of the result with the items, and member of an item with its name. */
  readonly member: string;
  readonly named: string;
  readonly filteredBy: 'the tool filter' | 'Cedar';
}

/** A list, and the server's response to a request for it. */
export interface ListingResponder extends Listing {
  readonly answer: () => ListResponse;
}

const RESULT = { content: [], isError: false, resultType: 'complete' };

/** A stdio server. */
export function bridged(era: Era, list: ListingResponder | undefined, hasStream: boolean) {
  const received: Buffer[] = [];
  const modern = modernScript();
  const servers = new ScriptedServers({
    received: (message, server) => {
      received.push(Buffer.from(message.text));
      const { id, method } = message;
      if (list !== undefined && method === list.method)
        list
          .answer()
          .line(JSON.stringify(id))
          .split('\n')
          .forEach((line) => server.write(line));
      else if (method === 'tools/call' && id !== undefined) server.say({ id, result: RESULT });
      else if (era === 'modern') modern.received?.(message, server);
      else if (method === 'initialize') server.greet(message);
      else if (id !== undefined) server.say({ id, result: {} });
    },
  });
  const backend = servers.backend(hasStream ? { mode: 'sse' } : {});
  // Returns true for requests of the bridge itself to a server without sessions: discovery and tools.
  const isOwn = (text: Buffer): boolean =>
    /"method":"(?:server\/discover|tools\/list)"/.test(text.toString()) && list === undefined;
  return {
    backend,
    received: () => received.filter((text) => !isBarrier(text) && (era === 'legacy' || !isOwn(text))),
  };
}

/** A server that speaks HTTP. */
export function answering(list: ListingResponder | undefined): Handle {
  return ({ method, body }, response) => {
    if (method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let message: { id?: unknown; method?: string };
    try {
      message = JSON.parse(body.toString());
    } catch {
      response.writeHead(400).end();
      return;
    }
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (list !== undefined && message.method === list.method) {
      list.answer().http(JSON.stringify(message.id), response);
      return;
    }
    response.setHeader('Content-Type', 'application/json');
    const result =
      message.method === 'initialize' ? { protocolVersion: '2025-03-26', capabilities: {} } : RESULT;
    if (message.method === 'initialize') response.setHeader('Mcp-Session-Id', 'backend-session');
    // The id as text, because a number outside the range of a double would change.
    const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(body.toString())?.[1] ?? 'null';
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
  };
}

/** A server that accepts each request at the address of its session, and responds on its stream. */
export function streaming(list: ListingResponder | undefined): Handle {
  // Each session has a stream. The proxy sometimes opens one for its health check.
  const streams: ServerResponse[] = [];
  return ({ method, url, body }, response) => {
    if (method === 'GET') {
      const stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      stream.write(`event: endpoint\ndata: /messages?session_id=${streams.push(stream)}\n\n`);
      return;
    }
    const stream = streams[Number(url.split('session_id=')[1]) - 1];
    response.writeHead(202).end('Accepted');
    for (const { id, method: asked } of requestsIn(body)) {
      const result = asked === 'initialize' ? { protocolVersion: '2025-03-26', capabilities: {} } : RESULT;
      stream?.write(
        list !== undefined && asked === list.method
          ? list.answer().events(JSON.stringify(id))
          : `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`,
      );
    }
  };
}

function requestsIn(body: Buffer): readonly { readonly id: unknown; readonly method: string }[] {
  const messages: { id?: unknown; method?: string }[] = [JSON.parse(body.toString())].flat();
  return messages.flatMap(({ id, method }) =>
    id === undefined || method === undefined ? [] : [{ id, method }],
  );
}
