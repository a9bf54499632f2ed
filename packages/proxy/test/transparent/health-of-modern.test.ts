import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { CAPABILITIES, CLAIM, MODERN, ModernClient } from '../support/modern-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

const HEALTH = { intervalMs: 5, pingMs: 1000, retryMs: 5, failures: 5 };

describe('health check of an HTTP server without a handshake', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(path: string) {
    const backend = await HttpBackendUnderTest.start((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    backends.push(backend);
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      { limits: { health: HEALTH } },
    );
    return { url: new URL(path, url), backend };
  }

  it('sends server/discover to the path that clients use', async () => {
    const { url, backend } = await open('/team/mcp');
    await new ModernClient(url).post({ method: 'tools/list' });
    const ping = await eventually(() => {
      const found = backend.received[1];
      if (found === undefined) throw new Error('not asked');
      return found;
    });
    expect([ping.method, ping.url]).to.deep.equal(['POST', '/team/mcp']);
    expect(ping.headers).to.include({
      'mcp-protocol-version': MODERN,
      'mcp-method': 'server/discover',
      'content-type': 'application/json',
    });
    const { method, params } = JSON.parse(ping.body.toString());
    expect(method).to.equal('server/discover');
    const { [CLAIM]: claim, [CAPABILITIES]: capabilities } = params['_meta'];
    expect([claim, capabilities]).to.deep.equal([MODERN, {}]);
  });

  it('sends GET while only clients with a handshake have connected', async () => {
    const { url, backend } = await open('/mcp');
    await send(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    await eventually(() => expect(backend.received[1]?.method).to.equal('GET'));
  });
});
