import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { json, legacy, messageIn } from '../../../packages/proxy/test/support/http-fixtures.ts';
import { PolicyBench, urlOf } from './support/policy-bench.ts';

describe('health of members over HTTP', function () {
  this.timeout(180_000);
  let bench: PolicyBench;
  let server: HttpBackendUnderTest;
  let isHanging = true;

  before(async () => {
    bench = await PolicyBench.open();
    const respond = legacy((request, response) => {
      const result =
        messageIn(request).method === 'tools/list'
          ? { tools: [{ name: 'find', inputSchema: { type: 'object' } }] }
          : { content: [{ type: 'text', text: 'found' }] };
      json(response, { jsonrpc: '2.0', id: messageIn(request).id, result });
    });
    server = await HttpBackendUnderTest.start((request, response) => {
      if (isHanging) return;
      const { id, method } = messageIn(request);
      if (method === 'initialize')
        json(response, {
          jsonrpc: '2.0',
          id,
          result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } },
        });
      else respond(request, response);
    });
  });
  after(async () => {
    await bench.close();
    await server.close();
  });

  async function memberState(): Promise<Readonly<Record<string, unknown>>> {
    const file = path.join(bench.root, 'data/portolan/statuses/desk.json');
    return Object(JSON.parse(await readFile(file, 'utf8'))).members.slow;
  }

  it('member › becomes unavailable when it never responds, and serves calls when it responds again', async () => {
    const members = { slow: { url: new URL('/mcp', server.url).href } };
    const file = await bench.write('desk.json', JSON.stringify({ members }));
    const url = await urlOf(await bench.portolan('run', `--members=${file}`, '--name=desk'));
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(url));
    try {
      expect((await client.listTools()).tools).to.deep.equal([]);
      await eventually(
        async () => {
          const { status, last_error: error } = await memberState();
          expect(status).to.equal('unavailable');
          expect(error).to.include('it does not respond');
        },
        { withinMs: 60_000 },
      );
      isHanging = false;
      await eventually(
        async () =>
          expect((await client.listTools()).tools.map(({ name }) => name)).to.deep.equal(['slow_find']),
        { withinMs: 90_000 },
      );
      expect((await client.callTool({ name: 'slow_find', arguments: {} })).content).to.deep.equal([
        { type: 'text', text: 'found' },
      ]);
      await eventually(async () => expect((await memberState())['status']).to.equal('available'));
    } finally {
      await client.close();
    }
  });
});
