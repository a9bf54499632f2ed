import {
  Client as ModernSdkClient,
  StreamableHTTPClientTransport as ModernSdkTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacySdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { ChildConnection } from './support/child-connection.ts';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from './support/conformance/http-servers.ts';
import { STDIO_PROGRAM } from './support/conformance/stdio-program.ts';
import { MODERN } from './support/modern-client.ts';
import { Proxies } from './support/proxy-under-test.ts';

const IDENTITY = { name: 'real-client', version: '1.0.0' };
const ELICITED = { action: 'accept', content: { name: 'Ada', response: 'Ada' } } as const;

/** The functions that the tests use, independent of the SDK of the client. */
interface Connected {
  listTools(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

type Connect = (url: URL) => Promise<Connected>;

const connectLegacySdk: Connect = async (url) => {
  const client = new LegacySdkClient(IDENTITY, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ELICITED);
  await client.connect(new StreamableHTTPClientTransport(url));
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
};

function connectModernSdk(mode: 'legacy' | 'auto' | { readonly pin: string }): Connect {
  return async (url) => {
    const client = new ModernSdkClient(IDENTITY, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode },
    });
    client.setRequestHandler('elicitation/create', async () => ELICITED);
    await client.connect(new ModernSdkTransport(url));
    return {
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args })),
      close: () => client.close(),
    };
  };
}

type Era = 'legacy' | 'modern';

const CLIENTS: readonly {
  readonly title: string;
  readonly connect: Connect;
  readonly speaks: readonly Era[];
}[] = [
  { title: 'SDK v1', connect: connectLegacySdk, speaks: ['legacy'] },
  { title: 'SDK v2, legacy', connect: connectModernSdk('legacy'), speaks: ['legacy'] },
  { title: 'SDK v2, auto', connect: connectModernSdk('auto'), speaks: ['modern', 'legacy'] },
  { title: 'SDK v2, pinned', connect: connectModernSdk({ pin: MODERN }), speaks: ['modern'] },
];

const SERVERS: readonly { readonly title: string; readonly way: string; readonly speaks: readonly Era[] }[] =
  [
    { title: 'a Legacy stdio server', way: 'legacy', speaks: ['legacy'] },
    { title: 'a Modern stdio server', way: 'modern', speaks: ['modern'] },
    { title: 'a stdio server of both eras', way: 'both', speaks: ['legacy', 'modern'] },
    { title: 'a Legacy HTTP server', way: 'http legacy', speaks: ['legacy'] },
    { title: 'a Modern HTTP server', way: 'http modern', speaks: ['modern'] },
    { title: 'a Modern remote server', way: 'remote modern', speaks: ['modern'] },
  ];

describe('real clients with real servers', () => {
  const proxies = new Proxies();
  const servers: RunningServer[] = [];
  const clients: Connected[] = [];
  afterEach(async () => {
    await Promise.allSettled(clients.splice(0).map((client) => client.close()));
    await proxies.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function open(way: string): Promise<URL> {
    // A program can start slowly on a busy machine.
    const { url } = await proxies.open(await backendOf(way), { limits: { probeMs: 60_000 } });
    return url;
  }

  async function backendOf(way: string): Promise<ServerBackend> {
    const [transport, era] = way.split(' ');
    if (era === undefined) {
      const openConnection = async () =>
        new ChildConnection(process.execPath, ['--conditions=@portolan/source', STDIO_PROGRAM, way]);
      return { carries: 'messages', mode: 'streamable-http', sessions: 'own', openConnection };
    }
    const server = await (era === 'legacy' ? startLegacyServer() : startModernServer());
    servers.push(server);
    const isRemote = transport === 'remote';
    const target = isRemote ? server.url : new URL(server.url.origin);
    return { carries: 'http', transport: 'streamable-http', target, isRemote };
  }

  for (const server of SERVERS) {
    for (const { title, connect, speaks } of CLIENTS) {
      const era = speaks.find((one) => server.speaks.includes(one));
      if (era === undefined) {
        it(`${title} gets an error from ${server.title}, which has none of its revisions`, async () => {
          const outcome = await connect(await open(server.way)).then(
            (client) => clients.push(client) > 0,
            (error: unknown) => error,
          );
          expect(outcome).to.be.instanceOf(Error);
        });
        continue;
      }
      it(`${title} lists and calls tools of ${server.title}, and responds to its requests`, async () => {
        const client = await connect(await open(server.way));
        clients.push(client);
        expect(await client.listTools()).to.include('test_simple_text');
        expect(await client.call('test_simple_text')).to.include('This is a simple text');
        const asked =
          era === 'legacy'
            ? await client.call('test_elicitation', { message: 'who?' })
            : await client.call('test_input_required_result_elicitation');
        expect(asked).to.include('Ada');
      });
    }
  }
});
