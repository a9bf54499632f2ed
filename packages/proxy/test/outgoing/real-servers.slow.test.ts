import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ConnectionUnderTest, MODERN_META, type ReceivedRpc } from '../support/connection-under-test.ts';
import {
  type RunningServer,
  startEventsServer,
  startLegacyServer,
  startModernServer,
} from '../support/conformance/http-servers.ts';

interface Row {
  readonly title: string;
  readonly transport: 'streamable-http' | 'sse';
  readonly start: () => Promise<RunningServer>;
  readonly isModern: boolean;
}

const ROWS: readonly Row[] = [
  {
    title: 'a server with a handshake over streamable HTTP',
    transport: 'streamable-http',
    start: startLegacyServer,
    isModern: false,
  },
  {
    title: 'a server with a handshake over HTTP+SSE',
    transport: 'sse',
    start: startEventsServer,
    isModern: false,
  },
  {
    title: 'a server without a handshake',
    transport: 'streamable-http',
    start: startModernServer,
    isModern: true,
  },
];

function textIn({ result }: ReceivedRpc): unknown {
  // SAFETY: every tool of the fixtures returns content blocks.
  return (result as { content?: readonly { text?: string }[] } | undefined)?.content?.[0]?.text;
}

for (const { title, transport, start, isModern } of ROWS) {
  describe(`openHttpBackend with ${title}`, function () {
    this.timeout(60_000);
    let server: RunningServer;
    let connection: ConnectionUnderTest;
    beforeEach(async () => {
      server = await start();
      connection = await ConnectionUnderTest.open({ target: server.url, transport });
      if (!isModern) await connection.handshake();
    });
    afterEach(async () => {
      await connection.close();
      await server.close();
    });
    const ask = (method: string, params: object = {}): Promise<ReceivedRpc> =>
      isModern ? connection.askModern(method, params) : connection.ask(method, params);

    it('lists, calls, reads and completes', async () => {
      const tools = await ask('tools/list');
      expect(tools.result?.['tools']).to.be.an('array').that.is.not.empty;
      const call = await ask('tools/call', { name: 'test_simple_text', arguments: {} });
      expect(textIn(call)).to.equal('This is a simple text response for testing.');
      const prompt = await ask('prompts/get', { name: 'test_simple_prompt', arguments: {} });
      expect(prompt.result?.['messages']).to.be.an('array');
      const list = await ask('resources/list');
      // SAFETY: the fixtures list resources with a URI.
      const resources = list.result?.['resources'] as readonly { readonly uri: string }[];
      const read = await ask('resources/read', { uri: resources[0]?.uri });
      expect(read.result?.['contents']).to.be.an('array');
      expect(new Set(connection.outcomes)).to.deep.equal(new Set(['responded']));
    });

    it('passes on the error of an unknown method', async () => {
      const response = await ask('nonsense/method');
      expect(response.error?.code).to.equal(-32601);
      expect(connection.outcomes.at(-1)).to.equal('responded');
    });

    it('passes on progress before the response', async () => {
      const params = { name: 'test_tool_with_progress', arguments: {} };
      const meta = { ...(isModern ? MODERN_META : {}), progressToken: 'mine' };
      const response = await connection.ask('tools/call', { ...params, _meta: meta });
      expect(textIn(response)).to.equal('mine');
      const progress = connection.messages.filter(({ method }) => method === 'notifications/progress');
      expect(progress.map(({ params: sent }) => sent?.['progress'])).to.deep.equal([0, 50, 100]);
    });

    it('serves many calls at once, each with its own response', async () => {
      const before = connection.messages.length;
      const all = await Promise.all(
        Array.from({ length: 50 }, async (_value, at) => {
          const progressToken = `token ${at}`;
          const meta = { ...(isModern ? MODERN_META : {}), progressToken };
          const params = { name: 'test_tool_with_progress', arguments: {}, _meta: meta };
          return [textIn(await connection.ask('tools/call', params)), progressToken];
        }),
      );
      for (const [said, token] of all) expect(said).to.equal(token);
      expect(connection.messages.length - before).to.equal(50 * 4);
    });

    if (isModern) {
      it('receives list changes on a subscription, and ends it when it is cancelled', async () => {
        const listen = { notifications: { toolsListChanged: true }, _meta: MODERN_META };
        const id = await connection.begin('subscriptions/listen', listen);
        const methods = () => connection.messages.map(({ method }) => method);
        await eventually(() => expect(methods()).to.include('notifications/subscriptions/acknowledged'));
        await ask('tools/call', { name: 'test_trigger_tool_change', arguments: {} });
        await eventually(() => expect(methods()).to.include('notifications/tools/list_changed'));
        await connection.send({ method: 'notifications/cancelled', params: { requestId: id } });
        await ask('tools/list');
        expect(connection.responsesTo(id)).to.deep.equal([]);
      });
    }

    if (!isModern) {
      it('passes on requests of the server, and the responses to them', async () => {
        connection.onRequest('sampling/createMessage', () => ({
          role: 'assistant',
          model: 'test',
          content: { type: 'text', text: 'forty-two' },
        }));
        const response = await ask('tools/call', { name: 'test_sampling', arguments: { prompt: 'what?' } });
        expect(textIn(response)).to.contain('forty-two');
      });

      it('serves two sessions at the same time', async () => {
        const other = await ConnectionUnderTest.open({ target: server.url, transport });
        try {
          await other.handshake();
          const [one, two] = await Promise.all([ask('tools/list'), other.ask('prompts/list')]);
          expect(one.result).to.have.property('tools');
          expect(two.result).to.have.property('prompts');
        } finally {
          await other.close();
        }
      });
    }

    if (!isModern && transport === 'streamable-http') {
      it('resumes a response whose stream the server closes', async () => {
        const polling = await ConnectionUnderTest.open({ target: server.url });
        try {
          await polling.handshake('2025-11-25');
          const response = await polling.ask('tools/call', { name: 'test_reconnection', arguments: {} });
          expect(textIn(response)).to.equal('Reconnection test completed successfully.');
        } finally {
          await polling.close();
        }
      });
    }

    it('closes everything', async () => {
      await connection.close();
      await eventually(() => expect(connection.end).to.equal('ended'));
      let fault: unknown;
      await connection.send({ id: 9, method: 'ping' }).catch((error: unknown) => {
        fault = error;
      });
      expect(fault).to.be.instanceOf(Error);
    });
  });
}
