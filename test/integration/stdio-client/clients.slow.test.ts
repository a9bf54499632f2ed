import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { eventually } from '@portolan/plugin-testing';
import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { ChildConnection } from '../../../packages/proxy/test/support/child-connection.ts';
import {
  startLegacyServer,
  startModernServer,
} from '../../../packages/proxy/test/support/conformance/http-servers.ts';
import { STDIO_PROGRAM } from '../../../packages/proxy/test/support/conformance/stdio-program.ts';
import { everythingBackend } from '../../../packages/proxy/test/support/everything-backend.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { StdioClientUnderTest } from '../../support/front-under-test.ts';

const IDENTITY = { name: 'client', version: '1.0.0' };

const proxies = new Proxies();
const closing: (() => Promise<void>)[] = [];

/** A client with a handshake that responds to requests of a server and records notifications. */
async function legacyClient(
  front: StdioClientUnderTest,
): Promise<{ client: LegacyClient; logged: string[] }> {
  const logged: string[] = [];
  const client = new LegacyClient(IDENTITY, { capabilities: { sampling: {}, elicitation: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'sampled' },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    logged.push(String(params.data));
  });
  await client.connect(front.transport());
  return { client, logged };
}

async function modernClient(front: StdioClientUnderTest): Promise<ModernClient> {
  const client = new ModernClient(IDENTITY, {
    capabilities: { elicitation: {}, sampling: {} },
    versionNegotiation: { mode: 'auto' },
  });
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }));
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'sampled' },
  }));
  await client.connect(front.transport());
  return client;
}

const textOf = (called: object): string => JSON.stringify('content' in called ? called.content : called);

/** The methods for calls that the clients of both SDKs have. */
interface Calling {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<object>;
}

/** Expects that each of many simultaneous calls gets its own response. */
async function expectOwnAnswers(client: Calling, count: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      client.callTool({ name: 'echo', arguments: { message: `call ${at}${' '.repeat(at % 7)}` } }),
    ),
  );
  const texts = answers.map(textOf);
  expect(texts).to.deep.equal(
    texts.map((_, at) => JSON.stringify([{ type: 'text', text: `Echo: call ${at}${' '.repeat(at % 7)}` }])),
  );
}

describe('`portolan proxy stdio` in front of a workload', function () {
  this.timeout(180_000);
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await proxies.close();
  });

  function open(url: URL, transport: 'streamable-http' | 'sse' = 'streamable-http'): StdioClientUnderTest {
    const front = new StdioClientUnderTest({ url, transport });
    closing.push(async () => await front.end());
    return front;
  }

  for (const mode of ['streamable-http', 'sse'] as const) {
    it(`supports calls, sampling, elicitation, logs and progress: ${mode}`, async () => {
      const { url } = await proxies.open(everythingBackend({ mode }));
      const front = open(url, mode);
      const { client, logged } = await legacyClient(front);
      expect((await client.listTools()).tools.map(({ name }) => name)).to.include('trigger-sampling-request');
      const sampled = await client.callTool({
        name: 'trigger-sampling-request',
        arguments: { prompt: 'hi', maxTokens: 5 },
      });
      expect(textOf(sampled)).to.contain('sampled');
      expect(textOf(await client.callTool({ name: 'trigger-elicitation-request' }))).to.contain('Ada');
      const steps: number[] = [];
      const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 3 } };
      await client.callTool(long, undefined, { onprogress: ({ progress }) => void steps.push(progress) });
      expect(steps.slice(0, 2)).to.deep.equal([1, 2]);
      await client.setLoggingLevel('debug');
      await client.callTool({ name: 'toggle-simulated-logging' });
      await eventually(() => expect(logged).to.have.length.greaterThan(0));
      await expectOwnAnswers(client, 1000);
      expect(front.told).to.deep.equal([]);
    });
  }

  it('supports clients without a handshake: input requests, arguments in headers, cancellation', async () => {
    const server = await startModernServer();
    closing.push(async () => await server.close());
    const client = await modernClient(open(server.url));
    expect(client.getProtocolEra()).to.equal('modern');
    const headers = { name: 'test_custom_headers', arguments: { region: 'ü', priority: 3, dry_run: true } };
    expect(textOf(await client.callTool(headers))).to.contain('priority');
    const asked = await client.callTool({ name: 'test_input_required_result_elicitation' });
    expect(textOf(asked)).to.contain('Ada');
    const sampled = await client.callTool({ name: 'test_input_required_result_sampling' });
    expect(textOf(sampled)).to.contain('sampled');
  });

  it('supports clients of both eras when the server speaks both', async () => {
    const backend: ServerBackend = {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      openConnection: async () =>
        new ChildConnection(process.execPath, ['--conditions=@portolan/source', STDIO_PROGRAM, 'both']),
    };
    const { url } = await proxies.open(backend);
    const { client: legacy } = await legacyClient(open(url));
    const modern = await modernClient(open(url));
    expect(modern.getProtocolEra()).to.equal('modern');
    const call = { name: 'test_simple_text', arguments: {} };
    expect(textOf(await legacy.callTool(call))).to.equal(textOf(await modern.callTool(call)));
  });

  it('resumes a stream that the server ends before the response', async () => {
    const server = await startLegacyServer();
    closing.push(async () => await server.close());
    const { client } = await legacyClient(open(server.url));
    const answer = await client.callTool({ name: 'test_reconnection' });
    expect(textOf(answer)).to.contain('Reconnection test completed');
  });

  for (const mode of ['streamable-http', 'sse'] as const) {
    it(`reconnects after a restart of the workload: ${mode}`, async () => {
      const first = await proxies.open(everythingBackend({ mode }));
      let { url } = first;
      const front = new StdioClientUnderTest({ url: () => url, transport: mode, patienceMs: 10_000 });
      closing.push(async () => await front.end());
      const { client } = await legacyClient(front);
      const long = { name: 'trigger-long-running-operation', arguments: { duration: 20, steps: 20 } };
      const lost = client
        .callTool(long, undefined, { onprogress: () => begun() })
        .catch((error: unknown) => error);
      const { promise: running, resolve: begun } = Promise.withResolvers<void>();
      await running;
      await first.proxy.close();
      ({ url } = await proxies.open(everythingBackend({ mode })));
      expect(String(await lost)).to.match(/-32603: (?:The proxy|crew)/);
      const again = await client.callTool({ name: 'get-sum', arguments: { a: 20, b: 22 } });
      expect(textOf(again)).to.contain('42');
      await eventually(() => expect(front.told.join('\n')).to.match(/a new session was opened/));
    });
  }
});
