import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { ChildConnection } from '../support/child-connection.ts';
import { STDIO_PROGRAM } from '../support/conformance/stdio-program.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { MODERN, ModernClient } from '../support/modern-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

/** Start time of the server: longer than the default limit of a probe. */
const LOADING_MS = 6000;
/** Blocks the process before it reads its input, as large imports do. */
const LOADING = `data:text/javascript,Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,${LOADING_MS})`;

describe('server that takes 6 s to start (world F6)', function () {
  this.timeout(120_000);
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  async function open(speaks: 'modern' | 'legacy', sessions: 'own' | 'shared'): Promise<URL> {
    const args = ['--conditions=@portolan/source', '--import', LOADING, STDIO_PROGRAM, speaks];
    const openConnection = async () => new ChildConnection(process.execPath, args);
    const { url } = await proxies.open({
      carries: 'messages',
      mode: 'streamable-http',
      sessions,
      openConnection,
    });
    return url;
  }

  async function listWith(url: URL, mode: 'auto' | { readonly pin: string }): Promise<readonly string[]> {
    const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url));
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  }

  for (const sessions of ['own', 'shared'] as const) {
    it(`of 2026-07-28 serves the first request, with ${sessions} processes`, async () => {
      const url = await open('modern', sessions);
      // `portolan run` sends `initialize` at the same time.
      const refused = new McpClient(url).post(initialize());
      const [discovered, tools] = await Promise.all([
        new ModernClient(url).post({ method: 'server/discover' }),
        listWith(url, { pin: MODERN }),
      ]);
      expect(discovered.json.result.supportedVersions).to.include(MODERN);
      expect(tools).to.include('test_simple_text');
      expect((await refused).json.error.code).to.equal(-32022);
    });
  }

  it('with a handshake serves a client that tries 2026-07-28 first', async () => {
    expect(await listWith(await open('legacy', 'own'), 'auto')).to.include('test_simple_text');
  });
});
