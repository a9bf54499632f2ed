import { eventually } from '@portolan/plugin-testing';
import type { ProxyMiddleware, ProxySlot } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { McpClient } from '../support/mcp-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { QUESTION, speak, speakHttp } from '../support/spoken-to.ts';

const call = (name: string, args: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Middleware that refuses calls of the tool `forbidden`. */
const REFUSES: ProxyMiddleware = {
  onMessage: (message) =>
    message.kind === 'request' && message.params?.['name'] === 'forbidden'
      ? { refuse: { message: 'Not here.', data: { denial: 'd-1' }, headers: { 'X-Denied': 'yes' } } }
      : undefined,
};
const CHANGES: ProxyMiddleware = {
  onMessage: (message) => {
    const args = message.kind === 'request' ? message.params?.['arguments'] : undefined;
    const hasCity = typeof args === 'object' && args !== null && 'city' in args;
    return hasCity ? { change: [{ path: ['params', 'arguments', 'city'], json: '"Oslo"' }] } : undefined;
  },
};
const HIDES: ProxyMiddleware = {
  onResponse: (message) => {
    if (message.kind === 'request') return { refuse: { message: 'Nobody is asked.', code: -32601 } };
    if (message.kind === 'notification' && message.method === 'notifications/message') {
      return { change: [{ path: ['params', 'data'], json: '"[hidden]"' }] };
    }
    const isCall = message.kind === 'response' && message.text.includes('"content"');
    return isCall ? { change: [{ path: ['result', 'judged'], json: '1.0' }] } : undefined;
  },
};

const at = (placed: ProxySlot, instance: ProxyMiddleware) => ({ name: placed, placed, instance });
const MIDDLEWARE = [at('filter', HIDES), at('validate', REFUSES), at('mutate', CHANGES)];

describe('policies on the message path', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  interface Opened {
    readonly url: URL;
    /** Texts that the server received. */
    readonly received: () => readonly string[];
  }

  async function openStdio(sessions: 'own' | 'shared'): Promise<Opened> {
    const servers = new ScriptedServers({ received: speak });
    const backend = servers.backend({ sessions });
    const { url } = await proxies.open(backend, { middleware: MIDDLEWARE });
    return { url, received: () => servers.all.flatMap(({ sent }) => sent.map(({ text }) => text)) };
  }

  async function openHttp(isRemote: boolean): Promise<Opened> {
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    const target = isRemote ? new URL('/mcp?team=a', backend.url) : backend.url;
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target, isRemote },
      { middleware: MIDDLEWARE },
    );
    return { url, received: () => backend.received.map(({ body }) => body.toString()) };
  }

  const servers: readonly {
    readonly title: string;
    readonly asks: boolean;
    readonly open: () => Promise<Opened>;
  }[] = [
    { title: 'a stdio server with a process for each session', asks: true, open: () => openStdio('own') },
    { title: 'a shared stdio server', asks: false, open: () => openStdio('shared') },
    { title: 'an HTTP server', asks: true, open: () => openHttp(false) },
    { title: 'a remote', asks: true, open: () => openHttp(true) },
  ];

  for (const { title, asks, open } of servers) {
    describe(`with ${title}`, () => {
      const connect = (url: URL, version = '2025-06-18') =>
        McpClient.connect(url, { version, capabilities: { sampling: {} } });

      it('refuse a call with a JSON-RPC response, headers and data, and send the server nothing', async () => {
        const { url, received } = await open();
        const client = await connect(url);
        const answer = await client.post(call('forbidden', {}, 'x'));
        expect([answer.status, answer.headers['x-denied']]).to.deep.equal([200, 'yes']);
        expect(answer.json).to.deep.equal({
          jsonrpc: '2.0',
          id: 'x',
          error: { code: 403, message: 'Not here.', data: { denial: 'd-1' } },
        });
        expect(received().filter((text) => text.includes('forbidden'))).to.deep.equal([]);
      });

      it('change an argument, and no other character of the message', async () => {
        const { url, received } = await open();
        const client = await connect(url);
        await client.post(
          '{ "jsonrpc":"2.0", "id":9, "method":"tools/call","params":{"name":"plain","arguments":{"n":1.0, "city" : "Rome","big":9007199254740993}}}',
        );
        const got = received().find((text) => text.includes('plain'));
        expect(got).to.include('"arguments":{"n":1.0, "city" : "Oslo","big":9007199254740993}');
      });

      it('change a response in JSON', async () => {
        const { url } = await open();
        const answer = await (await connect(url)).post(call('plain', { a: 1 }), {
          accept: 'application/json',
        });
        expect(answer.text).to.include('"isError":false,"judged":1.0}').and.to.include('{\\"a\\":1}');
      });

      it('change a response in an event stream', async () => {
        const { url } = await open();
        const events = await (await connect(url)).stream(call('told', { a: 1 }), {
          accept: 'text/event-stream',
        });
        const answer = await events.got(({ id }) => id === 1);
        expect(answer.result.judged).to.equal(1);
        await events.over();
      });

      if (asks) {
        it('change a notification, and refuse a request of the server, which gets an error', async () => {
          const { url, received } = await open();
          const client = await connect(url);
          const standing = await client.listen();
          const told = await client.stream(call('told', {}), { accept: 'text/event-stream' });
          const asking = await client.stream(call('asking', {}, 2), { accept: 'text/event-stream' });
          await asking.got(({ id }) => id === 2);
          await eventually(() => {
            const data = [...standing.messages, ...told.messages].map(({ params }) => params?.data);
            expect(data).to.include('[hidden]').and.not.to.include('secret word');
          });
          await eventually(() => {
            const refusal = received().find((text) => text.includes(QUESTION.id) && text.includes('"error"'));
            expect(refusal).to.be.a('string');
          });
          const all = [...standing.messages, ...told.messages, ...asking.messages];
          expect(all.filter(({ method }) => method === QUESTION.method)).to.deep.equal([]);
          for (const events of [standing, told, asking]) events.leave();
        });
      }

      it('B11: judge each message of a batch separately, and join the responses', async () => {
        const { url, received } = await open();
        const client = await connect(url, '2025-03-26');
        const batch = [
          call('plain', { city: 'Rome' }, 1),
          call('forbidden', {}, 2),
          { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
          call('plain', {}, '3'),
        ];
        const answer = await client.post(JSON.stringify(batch), { accept: 'application/json' });
        expect(answer.status).to.equal(200);
        const byId = new Map(answer.json.map((one: { id: unknown }) => [one.id, one]));
        expect([...byId.keys()]).to.have.members([1, 2, '3']);
        expect(byId.get(2)).to.have.nested.property('error.code', 403);
        expect(byId.get(1)).to.have.nested.property('result.judged', 1);
        expect(JSON.stringify(byId.get(1))).to.include('Oslo');
        expect(received().filter((text) => text.includes('forbidden'))).to.deep.equal([]);
        expect(received().filter((text) => text.trimStart().startsWith('['))).to.deep.equal([]);
      });
    });
  }

  describe('headers that repeat arguments of a call without a handshake', () => {
    const SECRET = 'Zürich 42';
    const encoded = `=?base64?${Buffer.from(SECRET).toString('base64')}?=`;
    const change = (...path: string[]) => ({ path: ['params', 'arguments', ...path], json: '"Oslo"' });
    const cases = [
      {
        title: 'a text',
        args: { city: 'Bern' },
        given: 'Bern',
        changes: [change('city')],
        got: 'Oslo',
      },
      {
        title: 'an encoded text',
        args: { city: SECRET },
        given: encoded,
        changes: [change('city')],
        got: 'Oslo',
      },
      {
        title: 'a number',
        args: { a: { n: 42 } },
        given: '42.0',
        changes: [change('a', 'n')],
        got: 'Oslo',
      },
      {
        title: 'a new text that needs base64',
        args: { city: 'Bern' },
        given: 'Bern',
        changes: [{ path: ['params', 'arguments', 'city'], json: JSON.stringify(SECRET) }],
        got: encoded,
      },
      {
        title: 'a new null, whose header is removed',
        args: { city: 'Bern' },
        given: 'Bern',
        changes: [{ path: ['params', 'arguments', 'city'], json: 'null' }],
        got: undefined,
      },
      {
        title: 'a new object, whose header is removed',
        args: { city: 'Bern' },
        given: 'Bern',
        changes: [{ path: ['params', 'arguments'], json: '{"city":{"name":"Bern"}}' }],
        got: undefined,
      },
      {
        title: 'an unchanged argument, whose header stays',
        args: { city: 'Bern', a: 42 },
        given: '42.0',
        changes: [change('city')],
        got: '42.0',
      },
      {
        title: 'a header without an argument, which is removed',
        args: { city: 'Bern' },
        given: 'Rome',
        changes: [change('city')],
        got: undefined,
      },
      {
        title: 'an invalid header, which is removed',
        args: { city: 'Bern' },
        given: '=?base64?!?=',
        changes: [change('city')],
        got: undefined,
      },
      {
        title: 'a header of two arguments with only one change, which is removed',
        args: { city: 'Bern', note: 'Bern' },
        given: 'Bern',
        changes: [change('city')],
        got: undefined,
      },
      {
        title: 'no changed argument, so that all headers stay',
        args: { city: 'Bern' },
        given: 'Rome',
        changes: [{ path: ['params', 'name'], json: '"other"' }],
        got: 'Rome',
      },
    ];
    for (const { title, args, given, changes, got } of cases)
      it(`are updated after a policy changes the arguments: ${title}`, async () => {
        const backend = await HttpBackendUnderTest.start(({ body }, response) => {
          const { id } = JSON.parse(body.toString());
          response.setHeader('Content-Type', 'application/json');
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
        });
        backends.push(backend);
        const instance: ProxyMiddleware = {
          onMessage: ({ kind }) => (kind === 'request' ? { change: changes } : undefined),
        };
        const { url } = await proxies.open(
          { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
          { middleware: [{ name: 'mutate', placed: 'mutate', instance }] },
        );
        const { status } = await new ModernClient(url).post(
          { method: 'tools/call', params: { name: 'plain', arguments: args } },
          { 'Mcp-Param-City': given },
        );
        expect(status).to.equal(200);
        expect(backend.received).to.have.length(1);
        expect(backend.received[0]?.headers['mcp-param-city']).to.equal(got);
      });
  });
});
