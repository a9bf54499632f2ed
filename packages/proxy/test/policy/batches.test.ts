import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

const BATCH = '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]';

describe('batches in sessions with a policy', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(form: 'document' | 'stream', version: string): Promise<McpClient> {
    const backend = await HttpBackendUnderTest.start(({ body }, response) => {
      const { id, params } = JSON.parse(body.toString());
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: params?.protocolVersion },
      });
      const type = form === 'stream' ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'Content-Type': type, ...(id === 'init' ? { 'Mcp-Session-Id': 's' } : {}) });
      response.end(form === 'stream' ? `data: ${text}\n\n` : text);
    });
    backends.push(backend);
    const instance = { onMessage: () => undefined };
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      { middleware: [{ name: 'watches', placed: 'observe', instance }] },
    );
    await new McpClient(url).post(initialize(version));
    return new McpClient(url, 's');
  }

  it('get an error when a compressed response is truncated', async () => {
    const backend = await HttpBackendUnderTest.start((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.write(gzipSync('{"jsonrpc":"2.0"}').subarray(0, 12), () => response.destroy());
    });
    backends.push(backend);
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      { middleware: [{ name: 'judges', placed: 'validate', instance: { onResponse: () => undefined } }] },
    );
    const { status, json } = await new McpClient(url).post(BATCH);
    expect([status, json.map(({ error }: { error: { code: number } }) => error.code)]).to.deep.equal([
      200,
      [-32603, -32603],
    ]);
  });

  for (const form of ['document', 'stream'] as const) {
    it(`are accepted by the revision of the session, not by later headers: negotiated in a ${form}`, async () => {
      expect((await (await open(form, '2025-03-26')).post(BATCH)).status).to.equal(200);
      const refused = await (await open(form, '2025-06-18')).post(BATCH);
      expect([refused.status, refused.json.error.code]).to.deep.equal([400, -32600]);
    });
  }
});
