import { findAnsweredId } from '@portolan/mcp-protocol';
import { expect } from 'chai';
import { eventually } from '@portolan/plugin-testing';
import { McpClient } from '../support/mcp-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { modernScript } from '../support/modern-script.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { type ScriptedServer, ScriptedServers } from '../support/scripted-server.ts';

const CALL = { id: 7, method: 'tools/call', params: { name: 'a' } };
const DEEP = 5_000_000;

/** Invalid responses to the request `id` (JSON text). Each breaks a rule of JSON or JSON-RPC. */
const MALFORMED: Readonly<Record<string, (id: string) => string>> = {
  'has result twice': (id) => `{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`,
  'has the id twice': (id) => `{"jsonrpc":"2.0","id":${id},"id":${id},"result":{}}`,
  'has result and error': (id) => `{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"m"}}`,
  'has neither result nor error': (id) => `{"jsonrpc":"2.0","id":${id}}`,
  'has an error that is text': (id) => `{"jsonrpc":"2.0","id":${id},"error":"no"}`,
  'has no version': (id) => `{"id":${id},"result":{}}`,
  'has the version of another protocol': (id) => `{"jsonrpc":"1.0","id":${id},"result":{}}`,
  'has an error and no version': (id) => `{"id":${id},"error":{"code":1,"message":"m"}}`,
  'has NaN': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"value":NaN}}`,
  'is cut off': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`,
  'has names without quotes': (id) => `{"jsonrpc":"2.0","id":${id},result:{}}`,
  'has a comma too many': (id) => `{"jsonrpc":"2.0","id":${id},"result":{"a":1,},}`,
  'has a bad escape in a name': (id) => `{"jsonrpc":"2.0","id":${id},"\\q":1}`,
  'has the id last': (id) => `{"jsonrpc":"2.0","result":{"value":undefined},"id":${id}}`,
  'has something behind it': (id) => `{"jsonrpc":"2.0","id":${id},"result":{}} done`,
  'is nested 5 million levels deep': (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
  'is nested and cut off': (id) => `{"jsonrpc":"2.0","id":${id},"result":${'{"a":'.repeat(DEEP)}`,
};

describe('invalid response of a stdio server (N12)', function () {
  this.timeout(30_000);
  const proxies = new Proxies();
  afterEach(() => proxies.close());

  function greeted(servers: ScriptedServers): ScriptedServer {
    const [server] = servers.greeted;
    if (server === undefined) throw new Error('no server was greeted');
    return server;
  }

  for (const [title, write] of Object.entries(MALFORMED)) {
    it(`fails its own request at once when it ${title}`, async () => {
      const servers = new ScriptedServers();
      // The limit is long, so that even a slow machine gets the response as JSON and not as a stream.
      const limits = { silenceMs: 120_000 };
      const { url, proxy } = await proxies.open(servers.backend({ sessions: 'shared' }), { limits });
      const client = await McpClient.connect(url);
      const other = client.post({ ...CALL, id: 8, params: { name: 'b' } });
      const server = greeted(servers);
      const otherId = (await server.got('tools/call')).id;
      const failed = client.post(CALL);
      const { id } = await server.got('tools/call', ({ name }) => name === 'a');
      server.write(write(JSON.stringify(id)));
      const { status, json } = await failed;
      expect([status, json.id, json.error.code]).to.deep.equal([502, 7, -32603]);
      expect(json.error.data.reason).to.match(/^(?:invalid_response|response_too_large)$/);
      expect(proxy.stats.waiting).to.equal(1);
      server.say({ id: otherId, result: { is: 'fine' } });
      expect((await other).json.result).to.deep.equal({ is: 'fine' });
    });
  }

  it('fails the request of a client without a handshake as well', async () => {
    const servers = new ScriptedServers(
      modernScript({
        received: ({ id }, server) => server.write(`{"id":${JSON.stringify(id)},"result":{}}`),
      }),
    );
    const { url } = await proxies.open(servers.backend());
    const { status, json } = await new ModernClient(url).post({
      ...CALL,
      params: { name: 'a', arguments: {} },
    });
    expect([status, json.id, json.error.data.reason]).to.deep.equal([502, 7, 'invalid_response']);
  });

  it('fails a request whose event stream is already open', async () => {
    const servers = new ScriptedServers();
    const { url } = await proxies.open(servers.backend(), { limits: { silenceMs: 1 } });
    const client = await McpClient.connect(url);
    const stream = await client.stream(CALL);
    const { id } = await greeted(servers).got('tools/call');
    greeted(servers).write(`{"jsonrpc":"2.0","id":"${String(id)}","result":`);
    const failed = await stream.got((message) => message.id === 7);
    expect(failed.error.data.reason).to.equal('invalid_response');
  });

  it('is logged once with its line', async () => {
    const servers = new ScriptedServers();
    const { url, logger } = await proxies.open(servers.backend());
    const client = await McpClient.connect(url);
    const failed = client.post(CALL);
    const { id } = await greeted(servers).got('tools/call');
    greeted(servers).write(`{"jsonrpc":"2.0","id":"${String(id)}"}`);
    await failed;
    await eventually(() =>
      expect(
        logger.lines.filter(({ message }) => message === 'server wrote an invalid message'),
      ).to.have.length(1),
    );
  });
});

describe('findAnsweredId', () => {
  for (const [title, line] of Object.entries({
    'a structured log line': '{"level":"info","id":"p-1","msg":"handles the request"}',
    'a log line about an error': '{"level":"error","id":"p-1","error":"no file"}',
    'a log line that quotes a response': 'sent {"jsonrpc":"2.0","id":"p-1","result":{}}',
    'a request of the server': '{"jsonrpc":"2.0","id":"p-1","method":"ping","result":{}',
    'a response to nobody': '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
    'an id inside of a result': '{"jsonrpc":"2.0","result":{"id":"p-1"},',
    'an id that is cut off': '{"jsonrpc":"2.0","id":"p-1',
    'a list': '[{"jsonrpc":"2.0","id":"p-1","result":{}}]',
    text: 'p-1',
    nothing: '',
  })) {
    it(`returns undefined for ${title}`, () => {
      expect(findAnsweredId(line)).to.equal(undefined);
    });
  }
});
