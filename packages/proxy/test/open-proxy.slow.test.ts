import type { ServerBackend } from '@portolan/plugin-api';
import { eventually, leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ChildConnection } from './support/child-connection.ts';
import { send } from './support/http-client.ts';
import { McpClient } from './support/mcp-client.ts';
import { HttpBackendUnderTest } from './support/http-backend.ts';
import { Proxies, type TestProxyOptions } from './support/proxy-under-test.ts';
import { ScriptedServers } from './support/scripted-server.ts';

const PROGRAM = new URL('./support/faulty-server.ts', import.meta.url).pathname;

describe('openProxy', () => {
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  function messages(settings: object = {}): ServerBackend {
    const openConnection = async () => new ChildConnection(process.execPath, [PROGRAM]);
    return { carries: 'messages', mode: 'streamable-http', sessions: 'own', openConnection, ...settings };
  }

  for (const sessions of ['own', 'shared'] as const) {
    for (const mode of ['streamable-http', 'sse'] as const) {
      it(`leaves nothing open after close: ${mode}, ${sessions} processes`, async () => {
        await leavesNothingOpen(async () => {
          const { url, proxy } = await proxies.open(messages({ sessions, mode }));
          if (mode === 'sse') await fetch(url);
          else {
            const client = await McpClient.connect(url);
            await client.listen();
            await client.post({ id: 1, method: 'tools/call', params: { name: 'echo' } });
            // The response arrives when the proxy closes.
            void client.post({ id: 2, method: 'tools/call', params: { name: 'hold' } });
            await eventually(() => expect(proxy.stats.waiting).to.equal(1));
          }
          await Promise.all([proxy.close(), proxy.close()]);
          expect(proxy.stats).to.include({ sessions: 0, processes: 0, waiting: 0 });
        });
      });
    }
  }

  it('leaves nothing open after close with an HTTP server', async () => {
    await leavesNothingOpen(async () => {
      const backend = await HttpBackendUnderTest.start((_request, response) => response.end('{}'));
      const { url, proxy } = await proxies.open({
        carries: 'http',
        transport: 'streamable-http',
        target: backend.url,
        isRemote: false,
      });
      await send(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
      await proxy.close();
      await backend.close();
    });
  });

  it('starts no process when the port is in use', async () => {
    const first = await proxies.open(messages());
    const servers = new ScriptedServers();
    const backend = messages({ openConnection: servers.open });
    expect(await codeOf(backend, { port: first.proxy.port })).to.equal('ERR_PROXY_PORT_IN_USE');
    expect(servers.all).to.deep.equal([]);
  });

  it('reports why it cannot listen', async () => {
    expect(await codeOf(messages(), { host: '192.0.2.1' })).to.equal('ERR_ADDRESS_UNUSABLE');
  });

  it('returns a URL that clients can use', async () => {
    const all = await proxies.open(messages(), { host: '0.0.0.0' });
    expect(all.url.href).to.equal(`http://127.0.0.1:${all.proxy.port}/mcp`);
    expect((await McpClient.connect(all.url)).session).to.not.equal('');
  });

  async function codeOf(backend: ServerBackend, options: TestProxyOptions): Promise<unknown> {
    try {
      await proxies.open(backend, options);
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
    return undefined;
  }
});
