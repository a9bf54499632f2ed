import { OWN_REQUEST_HEADER, OwnRequests } from '@portolan/mcp-protocol';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { type Script, ScriptedServers } from '../support/scripted-server.ts';

describe('session of the supervisor for its readiness check', () => {
  const proxies = new Proxies();
  const ownRequests = new OwnRequests();
  /** Returns headers of an `initialize` to `/mcp` that the supervisor makes. */
  const makeOwnHeaders = (): Record<string, string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...initialize() });
    const request = { method: 'POST', target: '/mcp', session: undefined, body } as const;
    return { [OWN_REQUEST_HEADER]: ownRequests.makeKey(request) };
  };
  afterEach(() => proxies.close());

  async function open(script: Script = {}, limits: TestProxyOptions['limits'] = {}) {
    const servers = new ScriptedServers(script);
    const { url, proxy } = await proxies.open(servers.backend(), {
      ownRequests,
      limits: { graceMs: 20, spareDelayMs: 1, ...limits },
    });
    return { url, proxy, servers };
  }

  async function ask(url: URL, headers: Readonly<Record<string, string>> = makeOwnHeaders()): Promise<void> {
    const answer = await new McpClient(url).post(initialize(), { headers });
    expect(answer.status).to.equal(200);
    const session = String(answer.headers['mcp-session-id']);
    expect((await new McpClient(url, session).end()).status).to.equal(204);
  }

  it('leaves its process to the next client', async () => {
    const { url, proxy, servers } = await open();
    await ask(url);
    expect([proxy.stats.sessions, proxy.stats.processes, servers.all.length]).to.deep.equal([0, 1, 1]);
    const answer = await new McpClient(url).post(initialize());
    expect(answer.json).to.have.nested.property('result.serverInfo.name', 's');
    expect(servers.all[0]?.sent.map(({ method }) => method)).to.deep.equal(['initialize', 'initialize']);
    await eventually(() => expect(servers.all).to.have.length(2));
  });

  for (const headers of [{}, { [OWN_REQUEST_HEADER]: 'another-key' }]) {
    it(`does not share its process when the request has no valid key: ${JSON.stringify(headers)}`, async () => {
      const { url, servers } = await open();
      await ask(url, headers);
      await eventually(() => expect(servers.all[0]?.isClosed).to.equal(true));
      await new McpClient(url).post(initialize());
      expect(servers.all[0]?.sent).to.have.length(1);
    });
  }

  for (const { title, second } of [
    { title: 'refuses a second initialize', second: 'refuse' },
    { title: 'exits on a second initialize', second: 'exit' },
    { title: 'does not respond to a second initialize', second: 'nothing' },
  ]) {
    it(`is invisible to the next client when the server ${title}`, async () => {
      const { url, servers } = await open(
        {
          received: (message, server) => {
            if (server.sent.length === 1) server.greet(message);
            else if (second === 'refuse') server.say({ id: message.id, error: { code: -1, message: 'no' } });
            else if (second === 'exit') server.exit();
          },
        },
        { greetAgainMs: 50 },
      );
      await ask(url);
      const answer = await new McpClient(url).post(initialize());
      expect(answer.json).to.have.nested.property('result.serverInfo.name', 's');
      expect(answer.headers['mcp-session-id']).to.match(/^[0-9a-f]{32}$/);
      await eventually(() => expect(servers.all[0]?.isClosed).to.equal(true));
    });
  }

  it('does not hide the error of a new process from the next client', async () => {
    let greetings = 0;
    const { url } = await open({
      received: (message, server) => {
        greetings += 1;
        if (greetings === 1) server.greet(message);
        else server.say({ id: message.id, error: { code: -32602, message: `no ${greetings}` } });
      },
    });
    await ask(url);
    const answer = await new McpClient(url).post(initialize());
    expect([answer.status, answer.json.error.message]).to.deep.equal([200, 'no 3']);
  });

  it('leaves no process behind when the proxy closes', async () => {
    const { url, proxy, servers } = await open();
    await ask(url);
    await proxy.close();
    expect([proxy.stats.processes, servers.all.every(({ isClosed }) => isClosed)]).to.deep.equal([0, true]);
  });
});
