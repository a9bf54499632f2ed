import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry on loopback whose rows and faults a test sets. */
export interface StubRegistry {
  readonly url: string;
  /** Requests so far, oldest first. */
  readonly requests: readonly IncomingMessage[];
  rows: readonly object[];
  /** Other lists that it has, by their path below the version. */
  lists: Readonly<Record<string, readonly object[]>>;
  /** Stands for everything in a list; undefined: pages have a tag of no use. */
  tag: string | undefined;
  /** Stands for what decides which rows are shown; undefined: nothing is said of it. */
  view: string | undefined;
  /** Whether answers say what time it is. */
  hasDate: boolean;
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

/** A row of which a registry says that it has changed in a distant future. */
export function changed<Row extends object>(one: Row): Row {
  return { ...one, written: '2999-01-01T00:00:00.000Z' };
}

function writtenAt(one: object): string {
  return String(Reflect.get(one, 'written') ?? '2026-01-01T00:00:00.000Z');
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
      const [, base, version = '', ...path] = pathname.split('/');
      const all = path.join('/') === 'servers' ? stub.rows : stub.lists[path.join('/')];
      if (base !== 'base' || !stub.versions.includes(version) || all === undefined) {
        response.writeHead(404).end('{"error":"not found"}');
        return;
      }
      response.sendDate = stub.hasDate;
      response.setHeader('etag', stub.tag ?? '"of this page"');
      if (stub.tag !== undefined) response.setHeader('portolan-tag-covers', 'list');
      if (stub.view !== undefined) response.setHeader('portolan-view', stub.view);
      if (request.headers['if-none-match'] === (stub.tag ?? '"of this page"')) {
        response.writeHead(304).end();
        return;
      }
      const since = searchParams.get('updated_since');
      const asked = since === null ? all : all.filter((one) => writtenAt(one) > since);
      const from = Number(searchParams.get('cursor') ?? 0);
      const rows = asked.slice(from, from + Number(searchParams.get('limit')));
      const next = from + rows.length;
      const more = next < asked.length ? { nextCursor: String(next) } : {};
      response.end(JSON.stringify({ [path.at(-1) ?? '']: rows, metadata: { count: rows.length, ...more } }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server on a port answers an object here, never a path.
  const { port } = server.address() as AddressInfo;
  const stub: StubRegistry = {
    url: `http://127.0.0.1:${port}/base`,
    requests,
    rows: [],
    lists: {},
    tag: undefined,
    view: undefined,
    hasDate: true,
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
