import type { HttpBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from '../support/conformance/http-servers.ts';
import { send } from '../support/http-client.ts';
import { CAPABILITIES, ModernClient } from '../support/modern-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

describe('HTTP server with translation between revisions', function () {
  this.timeout(30_000);
  const proxies = new Proxies();
  const servers: RunningServer[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function translate(start: () => Promise<RunningServer>): Promise<URL> {
    const server = await start();
    servers.push(server);
    const backend: HttpBackend = {
      carries: 'http',
      transport: 'streamable-http',
      target: new URL(server.url.origin.replace('localhost', '127.0.0.1')),
      isRemote: false,
      translatesEras: true,
    };
    return (await proxies.open(backend)).url;
  }

  it('serves a Modern client from a Legacy server, and its elicitation as input', async () => {
    const client = new ModernClient(await translate(startLegacyServer));
    const meta = { [CAPABILITIES]: { elicitation: {} } };
    const call = { name: 'test_elicitation', arguments: { message: 'Who?' } };
    const asked = await client.post({ method: 'tools/call', params: call, meta });
    const { inputRequests, requestState, resultType } = JSON.parse(asked.text).result;
    expect(resultType).to.equal('input_required');
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { response: 'Ada' } } };
    const params = { ...call, inputResponses, requestState };
    const done = await client.post({ method: 'tools/call', params, meta });
    expect(done.text).to.include('Ada');
    expect(JSON.parse(done.text).result.resultType).to.equal('complete');
  });

  it('serves a Legacy client from a Modern server', async () => {
    const url = await translate(startModernServer);
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const greeting = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const greeted = await send(url, { method: 'POST', headers, body: greeting });
    expect(greeted.status).to.equal(200);
    const session = String(greeted.headers['mcp-session-id']);
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const listed = await send(url, {
      method: 'POST',
      headers: { ...headers, 'Mcp-Session-Id': session },
      body: list,
    });
    expect(listed.text).to.include('test_simple_text');
  });
});
