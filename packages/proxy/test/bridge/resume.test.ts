import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Events } from '../support/http-client.ts';
import { McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type ScriptedServer, ScriptedServers } from '../support/scripted-server.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'a' } };

describe('interrupted event stream over streamable HTTP', () => {
  const proxies = new Proxies();
  const streams: Events[] = [];
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    await proxies.close();
  });

  interface Broken {
    readonly client: McpClient;
    readonly server: ScriptedServer;
    /** Id of the last event that the client received. */
    readonly lastId: string;
    /** Sends the result of the pending call. */
    readonly answer: (result: object) => Promise<void>;
  }

  /** Makes a call, and disconnects the client after the first event of its stream. */
  async function breakStream(limits: TestProxyOptions['limits'] = {}): Promise<Broken> {
    const servers = new ScriptedServers();
    const backend = servers.backend();
    const { url, proxy } = await proxies.open(backend, { limits: { silenceMs: 5, ...limits } });
    const client = await McpClient.connect(url, { version: '2025-11-25', capabilities: { sampling: {} } });
    const [server] = servers.greeted;
    if (server === undefined) throw new Error('no server was greeted');
    const lastId = await breakOff(client, CALL);
    const { id } = await server.got('tools/call');
    const answer = async (result: object): Promise<void> => {
      server.say({ id, result });
      await eventually(() => expect(proxy.stats.waiting).to.equal(0));
    };
    return { client, server, lastId, answer };
  }

  async function breakOff(client: McpClient, call: object): Promise<string> {
    // Other tests in this process may have left sockets open.
    const before = openSockets();
    const stream = await client.stream(call);
    await eventually(() => expect(stream.all).to.have.length(1));
    stream.leave();
    // The server side must also have closed the connection.
    await eventually(() => expect(openSockets()).to.be.at.most(before));
    return stream.all[0]?.id ?? '';
  }

  async function resume(client: McpClient, lastId?: string): Promise<Events> {
    const stream = await client.listen(lastId === undefined ? {} : { 'Last-Event-ID': lastId });
    streams.push(stream);
    return stream;
  }

  it('stays resumable while its request is pending, and longer than a completed one (D09)', async () => {
    const { client, server, lastId, answer } = await breakStream({ resumableMs: 20 });
    const other = await breakOff(client, { ...CALL, id: 2, params: { name: 'b' } });
    const { id } = await server.got('tools/call', ({ name }) => name === 'b');
    server.say({ id, result: {} });
    await eventually(async () => {
      const again = await resume(client, other);
      await eventually(() => expect(again.all).to.not.deep.equal([]));
      expect(again.all[0]?.id?.split('-')[0]).to.not.equal(other.split('-')[0]);
    });
    // Resume before the response arrives, because the proxy keeps a completed stream only for a short time.
    const again = await resume(client, lastId);
    await answer({ kept: true });
    await again.over();
    expect(again.messages).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: { kept: true } }]);
  });

  it('buffers a response larger than the event limit (D09)', async () => {
    const { client, lastId, answer } = await breakStream({ keptBytes: 100 });
    await answer({ text: 'x'.repeat(1000) });
    const again = await resume(client, lastId);
    await again.over();
    expect(again.messages.map(({ result }) => result.text.length)).to.deep.equal([1000]);
  });

  it('drops a response that exceeds the shared buffer of all clients', async () => {
    const { client, lastId, answer } = await breakStream({ keptBytes: 100, heldBytes: 500 });
    await answer({ text: 'x'.repeat(1000) });
    const again = await resume(client, lastId);
    await again.over();
    expect(again.messages).to.deep.equal([]);
  });

  it('is resumable a second time (D09)', async () => {
    const { client, lastId, answer } = await breakStream();
    await answer({ kept: true });
    for (let times = 0; times < 3; times += 1) {
      const again = await resume(client, lastId);
      await again.over();
      expect(again.messages).to.deep.equal([{ jsonrpc: '2.0', id: 1, result: { kept: true } }]);
    }
  });

  const questions = [
    { title: 'the resumed stream', resumes: true },
    { title: 'a new standing stream', resumes: false },
  ];
  for (const { title, resumes } of questions) {
    it(`delivers a request of the server only to ${title} (C14)`, async () => {
      const { client, server, lastId, answer } = await breakStream();
      server.say({ id: 'q', method: 'sampling/createMessage', params: {} });
      server.say({ method: 'notifications/tools/list_changed' });
      const stream = await resume(client, resumes ? lastId : undefined);
      const asked = await stream.got(({ method }) => method === 'sampling/createMessage');
      expect((await client.post({ id: asked.id, result: { said: 1 } })).status).to.equal(202);
      await eventually(() => expect(server.sent.at(-1)).to.deep.include({ id: 'q', result: { said: 1 } }));
      await stream.got(({ method }) => method === 'notifications/tools/list_changed');
      await answer({});
      if (!resumes) {
        const again = await resume(client, lastId);
        await again.over();
        expect(again.messages.map(({ id, method }) => id ?? method)).to.deep.equal([1]);
      }
    });
  }

  it('sends a request of the server on the open GET stream instead (C14)', async () => {
    const { client, server, lastId, answer } = await breakStream();
    const standing = await resume(client);
    server.say({ id: 'q', method: 'sampling/createMessage', params: {} });
    await standing.got(({ method }) => method === 'sampling/createMessage');
    await answer({});
    const again = await resume(client, lastId);
    await again.over();
    expect(again.messages.map(({ id, method }) => method ?? id)).to.deep.equal([1]);
    expect(standing.messages).to.have.length(1);
  });
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
