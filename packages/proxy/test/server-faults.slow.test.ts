import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import type { ServerBackend } from '@portolan/plugin-api';
import { ChildConnection } from './support/child-connection.ts';
import { begin } from './support/http-client.ts';
import { McpClient } from './support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from './support/proxy-under-test.ts';
import { TestRestarts } from './support/test-restarts.ts';

const PROGRAM = new URL('./support/faulty-server.ts', import.meta.url).pathname;

describe('openProxy with a faulty stdio server', () => {
  const proxies = new Proxies();
  const children: ChildConnection[] = [];
  afterEach(async () => {
    await proxies.close();
    children.length = 0;
  });

  function open(options: TestProxyOptions = {}, settings: object = {}) {
    const backend: ServerBackend = {
      carries: 'messages',
      mode: 'streamable-http',
      sessions: 'own',
      openConnection: async () => {
        const child = new ChildConnection(process.execPath, [PROGRAM]);
        children.push(child);
        return child;
      },
      ...settings,
    };
    return proxies.open(backend, options);
  }

  const call = (name: string, args: object = {}, id: number | string = 1) => ({
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });

  it('fails a call at once when the server crashes, and serves the next session (D01)', async () => {
    const { url } = await open();
    const client = await McpClient.connect(url);
    const [held, answer] = await Promise.all([client.post(call('hold', {}, 2)), client.post(call('die'))]);
    for (const { status, json } of [held, answer]) {
      expect([status, json.error.code, json.error.data]).to.deep.equal([
        502,
        -32603,
        { reason: 'server_exited' },
      ]);
    }
    expect([held.json.id, answer.json.id]).to.deep.equal([2, 1]);
    expect((await client.post(call('echo'))).json.error.code).to.equal(-32001);
    expect((await McpClient.connect(url)).session).to.not.equal('');
  });

  it('sends the error on the stream that is already open', async () => {
    const { url } = await open({ limits: { silenceMs: 5 } });
    const client = await McpClient.connect(url);
    const stream = await client.stream(call('hold'));
    await client.post(call('die', {}, 2));
    await stream.over();
    expect(stream.messages.at(-1)).to.deep.include({ id: 1 }).and.have.nested.property('error.code', -32603);
  });

  it('cancels a call at the time limit, without delaying others (D02)', async () => {
    const { url } = await open({ limits: { requestMs: 2000 } });
    const client = await McpClient.connect(url);
    const held = client.post(call('hold'));
    expect((await client.post(call('echo', { text: 'quick' }, 2))).json.result).to.deep.equal({
      text: 'quick',
    });
    const answer = await held;
    expect([answer.status, answer.json.error.data]).to.deep.equal([504, { reason: 'timeout' }]);
    await eventually(async () => {
      const seen = await client.post(call('seen', {}, 3));
      expect(seen.json.result.cancelled).to.have.length(1);
    });
  });

  it('ignores lines that are no messages (D04)', async () => {
    const { url, proxy } = await open();
    const client = await McpClient.connect(url);
    const answer = await client.post(call('babble'));
    expect([answer.status, answer.json.result]).to.deep.equal([200, { real: true }]);
    // The lines after the response are read in later turns.
    await eventually(() => {
      expect(proxy.stats.skippedLines).to.be.greaterThan(3);
      expect(proxy.stats.droppedAnswers).to.equal(2);
    });
  });

  it('delivers a response of 20 MiB (D05)', async () => {
    const { url } = await open();
    const client = await McpClient.connect(url);
    const answer = await client.post(call('large', { bytes: 20 * 1024 * 1024 }));
    expect(answer.json.result.text).to.have.length(20 * 1024 * 1024);
  });

  it('keeps line separators, and characters that arrive in parts (D06)', async () => {
    const { url } = await open();
    const client = await McpClient.connect(url);
    const answer = await client.post(call('pieces'));
    expect(answer.json.result.text).to.equal('a\u{2028}b\u{2029}ü€😀');
  });

  for (const silenceMs of [5, 10_000]) {
    it(`is not blocked by a client that stops reading its ${silenceMs === 5 ? 'stream' : 'response'}`, async () => {
      const { url, proxy } = await open({ limits: { unreadMs: 100, silenceMs } });
      const [lazy, busy] = [await McpClient.connect(url), await McpClient.connect(url)];
      const stuck = begin(url, { headers: lazy.headers() });
      stuck.end(JSON.stringify({ jsonrpc: '2.0', ...call('large', { bytes: 30 * 1024 * 1024 }) }));
      const [response] = (await once(stuck, 'response')) as [IncomingMessage];
      await eventually(() => expect(proxy.stats.waiting).to.equal(0), { withinMs: 40_000 });
      // The client reads only the head, then nothing for longer than the limit.
      const until = performance.now() + 1000;
      for (let id = 0; performance.now() < until; id += 1) {
        expect((await busy.post(call('echo', {}, id))).status).to.equal(200);
        await pass(10); // leaves CPU time to the other tasks
      }
      await expectBroken(response);
      expect(
        (await lazy.post(call('echo', { text: 'again' }, 2), { accept: 'application/json' })).json.result,
      ).to.deep.equal({
        text: 'again',
      });
    });
  }

  it('responds with 503 when the server leaves too many messages unread (D11)', async () => {
    const { url } = await open({ limits: { queuedMessages: 5, requestMs: 3000 } });
    const client = await McpClient.connect(url);
    await client.post(call('stop-reading'));
    const text = 'x'.repeat(1024 * 1024);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, id) => client.post(call('echo', { text }, id))),
    );
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).to.be.greaterThan(5);
    expect(refused[0]?.headers).to.have.property('retry-after');
  });

  it('reports that the server cannot start, also in /health', async () => {
    const told: string[] = [];
    const { url, origin } = await open(
      {
        failing: (reason) => told.push(reason),
        limits: {
          startWaitMs: 200,
        },
        restarts: new TestRestarts({ firstDelayMs: 1, longestDelayMs: 2, failures: 3, withinMs: 60_000 }),
      },
      { openConnection: async () => new ChildConnection(process.execPath, ['-e', 'process.exit(3)']) },
    );
    const health = async () => {
      const answer = await fetch(`${origin}/health`);
      return {
        status: answer.status,
        body: (await answer.json()) as { status: string; mcp: { available: boolean } },
      };
    };
    await eventually(async () => {
      const { status, body } = await health();
      expect([status, body.status, body.mcp.available]).to.deep.equal([503, 'unhealthy', false]);
    });
    expect(told).to.have.length(1);
    const answer = await new McpClient(url).post({ id: 1, method: 'initialize', params: {} });
    expect([502, 503]).to.include(answer.status);
  });

  it('responds to pending requests on close, and leaves no process (D16)', async () => {
    const { url, proxy } = await open();
    const client = await McpClient.connect(url);
    const stream = await client.listen();
    const held = client.post(call('hold'));
    await eventually(() => expect(proxy.stats.waiting).to.equal(1));
    await proxy.close();
    expect([(await held).status, (await held).json.id]).to.deep.equal([503, 1]);
    await stream.over();
    expect(proxy.stats).to.include({ sessions: 0, processes: 0, waiting: 0 });
    expect(
      children.every(({ process: child }) => child.exitCode !== null || child.signalCode !== null),
    ).to.equal(true);
  });
});

async function expectBroken(response: IncomingMessage): Promise<void> {
  const end = await new Promise<string>((resolve) => {
    response.resume();
    response.once('end', () => resolve('complete'));
    response.once('error', () => resolve('broken'));
  });
  expect(end).to.equal('broken');
}
