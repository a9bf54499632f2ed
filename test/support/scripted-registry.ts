import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedRegistry {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Path and query of each request, in order. */
  readonly requests: readonly string[];
  /** Received `Authorization` headers. */
  readonly tokens: readonly string[];
  /** Response from now on. */
  answer: Answer;
  close(): Promise<void>;
}

export type Answer = (path: URL, response: ServerResponse, request: IncomingMessage) => void;

/** HTTP server on loopback with the responses of a test. */
export async function startScriptedRegistry(answer: Answer): Promise<ScriptedRegistry> {
  const requests: string[] = [];
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.headers.authorization !== undefined) tokens.push(request.headers.authorization);
    registry.answer(new URL(request.url ?? '/', 'http://registry'), response, request);
  });
  const registry = {
    url: '',
    requests,
    tokens,
    answer,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // SAFETY: a server on a port has an address of this form.
  registry.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return registry;
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

/** Server document with one image. */
export function serverDocument(name: string, more: object = {}): { readonly name: string } {
  const image = `ghcr.io/acme/${name.split('/').at(-1) ?? ''}:1.0.0`;
  return {
    name,
    description: `The server ${name}`,
    version: '1.0.0',
    packages: [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }],
    ...more,
  } as { readonly name: string };
}

/** Returns the response of a registry API with these servers, including `search`. */
export function apiWith(documents: readonly { readonly name: string }[], base = ''): Answer {
  const wrapped = documents.map((server) => ({
    server,
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
  }));
  return ({ pathname, searchParams }, response) => {
    const one = new RegExp(`^${base}/v0\\.1/servers/([^/]+)/versions/latest$`).exec(pathname)?.[1];
    if (one !== undefined) {
      const match = wrapped.find(({ server }) => server.name === decodeURIComponent(one));
      if (match === undefined) sendJson(response, { error: 'There is no such server.' }, 404);
      else sendJson(response, match);
      return;
    }
    if (pathname !== `${base}/v0.1/servers`) {
      sendJson(response, { error: 'not found' }, 404);
      return;
    }
    const search = searchParams.get('search') ?? '';
    const from = Number(searchParams.get('cursor') ?? 0);
    const limit = Number(searchParams.get('limit') ?? 30);
    const all = wrapped.filter(({ server }) => server.name.includes(search));
    const page = all.slice(from, from + limit);
    const next = from + limit < all.length ? { nextCursor: String(from + limit) } : {};
    sendJson(response, { servers: page, metadata: { count: page.length, ...next } });
  };
}
