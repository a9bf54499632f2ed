import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { begin, open as openRequest } from '../support/http-client.ts';
import { McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';

const MEBIBYTE = 1024 * 1024;
const FORMS = [
  { title: 'JSON', accept: 'application/json' },
  { title: 'an event stream', accept: 'text/event-stream' },
];

describe('responses to slow clients (D12)', function () {
  this.timeout(180_000);
  const proxies = new Proxies();
  const responses: IncomingMessage[] = [];
  afterEach(async () => {
    for (const response of responses.splice(0)) response.destroy();
    await proxies.close();
  });

  async function open(limits: TestProxyOptions['limits']) {
    const servers = new ScriptedServers({
      received: (message, server) => {
        if (message.method === 'initialize') server.greet(message);
        if (message.method !== 'tools/call') return;
        const text = 'x'.repeat(message.params.arguments.bytes);
        server.say({ id: message.id, result: { text } });
      },
    });
    const backend = servers.backend({ sessions: 'shared' });
    const { url } = await proxies.open(backend, { limits: limits ?? {} });
    return await McpClient.connect(url);
  }

  const call = (bytes: number): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'a', arguments: { bytes } },
    });

  for (const { title, accept } of FORMS) {
    it(`arrive complete when the client reads slowly: ${title}`, async () => {
      const bytes = 24 * MEBIBYTE;
      const unreadMs = 2000;
      const client = await open({ unreadMs });
      const began = performance.now();
      const response = await openRequest(client.url, {
        method: 'POST',
        headers: client.headers({ accept }),
        body: call(bytes),
      });
      responses.push(response);
      let read = 0;
      for await (const chunk of response) {
        read += (chunk as Buffer).length; // the stream has no encoding, so chunks are buffers
        await pass((chunk as Buffer).length / (5 * 1024));
      }
      expect(read).to.be.greaterThan(bytes);
      expect(performance.now() - began).to.be.greaterThan(2 * unreadMs);
    });

    it(`are aborted before all of them together exceed the memory limit: ${title}`, async () => {
      const client = await open({ unreadMs: 60_000, unreadTotalBytes: 20 * MEBIBYTE });
      const clients = 5;
      for (let count = 0; count < clients; count += 1) {
        const stuck = begin(client.url, { headers: client.headers({ accept }) });
        stuck.end(call(16 * MEBIBYTE));
        const [response] = (await once(stuck, 'response')) as [IncomingMessage];
        responses.push(response);
        response.on('error', () => undefined);
      }
      const answer = await client.post(call(MEBIBYTE));
      expect(answer.json.result.text).to.have.length(MEBIBYTE);
      // A client that does not read notices no close, so count the proxy's sockets. One response fits in the
      // limit and stays.
      const left = (): number => openSockets() - clients;
      await eventually(() => expect(left()).to.equal(1), { withinMs: 30_000 });
    });
  }
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
