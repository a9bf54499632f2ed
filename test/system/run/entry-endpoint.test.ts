import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import {
  inlineSource,
  type Json,
  RegistryUnderTest,
  serverDocument,
} from '../../support/registry-under-test.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

const IMAGE = 'portolan-test/node';

/** A server with `process.env.ENDPOINT` as its only path. */
const PROGRAM = String.raw`
const streams = [];
require('node:http').createServer((request, response) => {
  const isSse = process.env.SPEAKS === 'sse';
  const wanted = JSON.parse(process.env.HEADERS || '[]');
  const isMissing = wanted.some(([name, value]) => request.headers[name] !== value);
  if (isMissing) return void response.writeHead(403).end();
  const isMessage = isSse && request.url === '/messages';
  if (request.url !== process.env.ENDPOINT && !isMessage) return void response.writeHead(404).end();
  if (isSse && request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages\n\n');
    return void streams.push(response);
  }
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let body = '';
  request.on('data', (chunk) => { body += chunk; }).on('end', () => {
    const message = JSON.parse(body);
    if (message.id === undefined) return void response.writeHead(202).end();
    const tools = [ { name: 'tides', inputSchema: { type: 'object' } } ];
    const greeting = { protocolVersion: '2025-06-18', capabilities: { tools: { } }, serverInfo: { name: 'layered', version: '1' } };
    const result = message.method === 'initialize' ? greeting : message.method === 'tools/list' ? { tools } : { };
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    if (isSse) { response.writeHead(202).end(); streams.at(-1).write('event: message\ndata: ' + text + '\n\n'); }
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
}).listen(9280, '0.0.0.0');
`;

function entryOf(
  name: string,
  transport: Json,
  endpoint: string,
  speaks = 'http',
  headers: readonly (readonly string[])[] = [],
): Json {
  const item = {
    registryType: 'oci',
    identifier: IMAGE,
    transport,
    packageArguments: ['node', '-e', PROGRAM].map((value) => ({ type: 'positional', value })),
    environmentVariables: [
      { name: 'ENDPOINT', value: endpoint },
      { name: 'SPEAKS', value: speaks },
      { name: 'HEADERS', value: JSON.stringify(headers) },
      { name: 'LAYER', default: 'semantic_layer' },
    ],
  };
  return serverDocument(`dev.acme/${name}`, '1.0.0', { packages: [item] });
}

const PORT = 'http://localhost:9280';
const ENTRIES = [
  {
    name: 'layered',
    transport: { type: 'streamable-http', url: `${PORT}/semantic_layer/mcp` },
    endpoint: '/semantic_layer/mcp',
  },
  {
    name: 'templated',
    transport: { type: 'streamable-http', url: `${PORT}/{LAYER}/mcp` },
    endpoint: '/semantic_layer/mcp',
  },
  {
    name: 'with-headers',
    transport: {
      type: 'streamable-http',
      url: `${PORT}/mcp`,
      headers: [
        { name: 'X-Team', value: 'sea' },
        { name: 'X-Layer', value: 'in {depth}', variables: { depth: { default: 'two' } } },
      ],
    },
    endpoint: '/mcp',
    headers: [
      ['x-team', 'sea'],
      ['x-layer', 'in two'],
    ],
  },
  { name: 'at-root', transport: { type: 'streamable-http', url: `${PORT}/` }, endpoint: '/' },
  {
    name: 'events',
    transport: { type: 'sse', url: `${PORT}/mcp/events` },
    endpoint: '/mcp/events',
    speaks: 'sse',
  },
];

describe('the path of a server endpoint', function () {
  this.timeout(180_000); // The cases run containers one after the other.
  let user: WorkloadUser;
  let registry: RegistryUnderTest | undefined;
  before(async function () {
    user = await WorkloadUser.open(this);
    registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'anonymous',
      config: {
        sources: [
          inlineSource(
            'fleet',
            undefined,
            ENTRIES.map(({ name, transport, endpoint, speaks, headers }) =>
              entryOf(name, transport, endpoint, speaks, headers),
            ),
          ),
        ],
        registries: [{ name: 'main', sources: ['fleet'] }],
      },
    });
    await user.done('config', 'set-registry', `${registry.url}/registry/main`, '--allow-private-ip');
    await writeFile(path.join(user.root, '.claude.json'), '{}');
  });
  after(async () => {
    await user?.close();
    await registry?.close();
  });

  const pathOf = (url: string): string => new URL(url).pathname;

  for (const { name, endpoint, speaks = 'http' } of ENTRIES) {
    it(`serves ${name} at ${endpoint} (official registry 741, 523)`, async () => {
      const url = await user.run(`dev.acme/${name}`, '--name', `path-${name}`);
      expect(pathOf(url)).to.equal(endpoint);
      const [listed] = await user.list();
      expect(listed).to.include({ status: 'running', url });
      const tools = await user.done('mcp', 'tools', `path-${name}`);
      expect(tools).to.include('tides');
      await user.done('export', `path-${name}`, 'exported.json');
      const exported = JSON.parse(await readFile(path.join(user.root, 'exported.json'), 'utf8'));
      expect(exported).to.include({ target_path: endpoint, target_port: 9280 });
      const { stdout } = await user.portolan(['plan', `dev.acme/${name}`, '--format', 'json']);
      const planned = JSON.parse(stdout).settings.find(({ setting }: Json) => setting === 'target_path');
      expect(planned).to.deep.equal({
        setting: 'target_path',
        value: endpoint,
        from: 'registry',
        by: 'transport of the entry',
        author: 'entry',
      });
      if (speaks === 'http') {
        await user.done('client', 'setup', 'claude-code');
        expect(await readFile(path.join(user.root, '.claude.json'), 'utf8')).to.include(
          `${new URL(url).port}${endpoint}"`,
        );
        await user.done('client', 'remove', 'claude-code');
      }
      await user.done('rm', `path-${name}`);
      if (name !== 'layered') return;
      const again = await user.run('--from-config', 'exported.json');
      expect(again).to.equal(url);
      await user.done('rm', `path-${name}`);
    });
  }

  it('serves an image at --target-path', async () => {
    const flags = [
      '--name=path-image',
      '--target-port=9280',
      '--target-path=/tools/mcp',
      '-e',
      'ENDPOINT=/tools/mcp',
    ];
    const url = await user.run(...flags, IMAGE, '--', 'node', '-e', PROGRAM);
    expect(pathOf(url)).to.equal('/tools/mcp');
    await user.done('rm', 'path-image');
  });
});
