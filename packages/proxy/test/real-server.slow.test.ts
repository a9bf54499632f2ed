import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ChildConnection } from './support/child-connection.ts';
import { EVERYTHING } from './support/everything.ts';
import { everythingBackend } from './support/everything-backend.ts';
import { Proxies } from './support/proxy-under-test.ts';

const WAYS = [
  {
    title: 'streamable HTTP',
    mode: 'streamable-http',
    program: 'streamableHttp',
    connect: (url: URL): Transport => new StreamableHTTPClientTransport(url),
  },
  {
    title: 'HTTP+SSE',
    mode: 'sse',
    program: 'sse',
    connect: (url: URL): Transport => new SSEClientTransport(url),
  },
] as const;

describe('openProxy with a real stdio server', () => {
  const proxies = new Proxies();
  const clients: Client[] = [];
  const children: ChildConnection[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await proxies.close();
    await Promise.all(children.splice(0).map((child) => child.close()));
  });

  async function connect(transport: Transport, name = 'tester'): Promise<Client> {
    const client = new Client(
      { name, version: '1.0.0' },
      { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } },
    );
    client.setRequestHandler(CreateMessageRequestSchema, async () => ({
      model: name,
      role: 'assistant',
      content: { type: 'text', text: `sampled by ${name}` },
    }));
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' }));
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [] }));
    clients.push(client);
    await client.connect(transport);
    return client;
  }

  for (const { title, mode, connect: open } of WAYS) {
    describe(`over ${title}`, () => {
      it('lists and calls tools', async () => {
        const { url } = await proxies.open(everythingBackend({ mode }));
        const client = await connect(open(url));
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).to.include('echo');
        const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
        expect(content).to.deep.equal([{ type: 'text', text: 'Echo: hello' }]);
      });

      it('delivers progress with the token of the client', async () => {
        const { url } = await proxies.open(everythingBackend({ mode }));
        const client = await connect(open(url));
        const seen: number[] = [];
        await client.callTool(
          { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } },
          undefined,
          { onprogress: ({ progress }) => seen.push(progress) },
        );
        // The official client removes its progress handler with the response, so it can miss progress that
        // arrives in the same read.
        expect(seen).to.deep.equal([1, 2, 3, 4].slice(0, seen.length)).and.to.not.be.empty;
      });

      it('delivers a request of the server to the client whose call caused it', async () => {
        const { url } = await proxies.open(everythingBackend({ mode }));
        const [anna, bela] = await Promise.all([connect(open(url), 'anna'), connect(open(url), 'bela')]);
        const ask = (client: Client) =>
          client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'hi', maxTokens: 10 } });
        const [forAnna, forBela] = await Promise.all([ask(anna), ask(bela)]);
        expect(JSON.stringify(forAnna)).to.include('sampled by anna');
        expect(JSON.stringify(forBela)).to.include('sampled by bela');
      });

      it('delivers log messages to their own session', async () => {
        const { url } = await proxies.open(everythingBackend({ mode }));
        const client = await connect(open(url));
        const logged: unknown[] = [];
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
          logged.push(params);
        });
        await client.callTool({ name: 'toggle-simulated-logging', arguments: {} });
        await eventually(() => expect(logged).to.not.be.empty);
      });
    });
  }

  for (const { title, mode, program, connect: open } of WAYS) {
    it(`forwards to a real server that speaks ${title} itself`, async () => {
      const port = await findFreePort();
      const child = new ChildConnection(process.execPath, [EVERYTHING, program], { PORT: String(port) });
      children.push(child);
      const { url } = await proxies.open({
        carries: 'http',
        transport: mode,
        target: new URL(`http://127.0.0.1:${port}`),
        isRemote: false,
      });
      const client = await eventually(() => connect(open(url)));
      const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
      expect(content).to.deep.equal([{ type: 'text', text: 'Echo: hello' }]);
      const answer = await client.callTool({
        name: 'trigger-sampling-request',
        arguments: { prompt: 'hi', maxTokens: 10 },
      });
      expect(JSON.stringify(answer)).to.include('sampled by tester');
    });
  }

  it('lets all clients use one shared process', async () => {
    let started = 0;
    const backend = everythingBackend({ sessions: 'shared' });
    const counted = {
      ...backend,
      openConnection: (signal: AbortSignal) => {
        started += 1;
        if (backend.carries !== 'messages') throw new TypeError('messages are needed');
        return backend.openConnection(signal);
      },
    } as typeof backend;
    const { url, proxy } = await proxies.open(counted);
    const all = await Promise.all(
      ['a', 'b', 'c'].map((name) => connect(new StreamableHTTPClientTransport(url), name)),
    );
    const answers = await Promise.all(
      all.map((client, at) => client.callTool({ name: 'echo', arguments: { message: `${at}` } })),
    );
    expect(answers.map(({ content }) => JSON.stringify(content))).to.deep.equal([
      '[{"type":"text","text":"Echo: 0"}]',
      '[{"type":"text","text":"Echo: 1"}]',
      '[{"type":"text","text":"Echo: 2"}]',
    ]);
    expect(started).to.equal(1);
    expect(proxy.stats).to.include({ sessions: 3, processes: 1 });
  });
});

/** Returns a port that is free now. The server accepts only a fixed port. */
async function findFreePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new TypeError('it listened on a port');
  return address.port;
}
