import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

// Stub of the other registry of an `api` source. It renders every page in advance, so that it only sends
// bytes during the sync.

const { values } = parseArgs({ options: { catalogue: { type: 'string' }, port: { type: 'string' } } });
const ROWS = 1000;
const OFFICIAL = {
  status: 'active',
  statusChangedAt: '2026-01-10T12:00:00.000Z',
  publishedAt: '2026-01-10T12:00:00.000Z',
  updatedAt: '2026-01-10T12:00:00.000Z',
};

const { data } = JSON.parse(await readFile(values.catalogue ?? '', 'utf8'));
const servers: readonly object[] = data.servers;
const pages: Buffer[] = [];
for (let at = 0; at < servers.length; at += ROWS) {
  const rows = servers
    .slice(at, at + ROWS)
    .map((server) => ({ server, _meta: { 'io.modelcontextprotocol.registry/official': OFFICIAL } }));
  const next = at + ROWS < servers.length ? { nextCursor: String(pages.length + 1) } : {};
  pages.push(Buffer.from(JSON.stringify({ servers: rows, metadata: { count: rows.length, ...next } })));
}
const nothing = Buffer.from('{"servers":[],"metadata":{"count":0}}');

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub');
  response.setHeader('content-type', 'application/json');
  if (pathname !== '/v0.1/servers') {
    response.writeHead(404).end('{}');
    return;
  }
  const isSmall = searchParams.has('updated_since') || searchParams.get('limit') === '1';
  response.end(isSmall ? nothing : pages[Number(searchParams.get('cursor') ?? 0)]);
}).listen(Number(values.port), '127.0.0.1');
