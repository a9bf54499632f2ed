import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { eventually } from '@portolan/plugin-testing';
import type { ProxyMiddleware, ProxySlot } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { answerOf, QUESTION, speak, TOLD } from '../support/spoken-to.ts';

const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

const RULES: ProxyMiddleware = {
  onMessage: (message) => {
    const name = message.kind === 'request' ? message.params?.['name'] : undefined;
    if (name === 'forbidden') return { refuse: { message: 'Not here.' } };
    if (name === 'known') return { response: '{"content":[],"known":true}' };
    return undefined;
  },
  onResponse: (message, exchange) => {
    if (message.kind === 'request') return { refuse: { message: 'Nobody is asked.' } };
    if (message.kind === 'notification')
      return { change: [{ path: ['params', 'data'], json: '"[hidden]"' }] };
    const asked = exchange.message?.kind === 'request' ? exchange.message.method : 'nothing';
    return asked === 'tools/call' ? { change: [{ path: ['result', 'judged'], json: 'true' }] } : undefined;
  },
};
const at = (placed: ProxySlot, instance: ProxyMiddleware) => [{ name: placed, placed, instance }];
const call = (name: string, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { a: 1 } } });

describe('policies on event streams', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function openHttp(transport: 'sse' | 'streamable-http', handle: Handle, rules = RULES) {
    const backend = await HttpBackendUnderTest.start(handle);
    backends.push(backend);
    const { url, origin, proxy, logger } = await proxies.open(
      { carries: 'http', transport, target: backend.url, isRemote: false },
      { middleware: at('validate', rules) },
    );
    return { url, origin, backend, proxy, logger };
  }

  /** Returns an HTTP+SSE server that sends every response on the one stream. */
  function overEvents(): Handle {
    let stream: ServerResponse | undefined;
    return ({ method, body }, response) => {
      if (method === 'GET') {
        stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
        return;
      }
      response.writeHead(202).end('Accepted');
      const message = JSON.parse(body.toString());
      if (message.method !== 'tools/call') return;
      for (const said of [TOLD, QUESTION, answerOf(message)]) {
        stream?.write(`event: message\nretry: 5\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`);
      }
    };
  }

  async function openEventsBridge() {
    const servers = new ScriptedServers({
      received: (message, server) => {
        if (message.method === 'tools/call') {
          server.say(TOLD);
          server.say(QUESTION);
        }
        speak(message, server);
      },
    });
    const backend = servers.backend({ mode: 'sse' });
    const { url, origin } = await proxies.open(backend, { middleware: at('validate', RULES) });
    const received = () => servers.all.flatMap(({ sent }) => sent.map(({ text }) => text));
    return { url, origin, received };
  }

  const paths = [
    {
      title: 'with an HTTP+SSE server',
      open: async () => {
        const { url, origin, backend } = await openHttp('sse', overEvents());
        return { url, origin, received: () => backend.received.map(({ body }) => body.toString()) };
      },
    },
    { title: 'with a stdio server over HTTP+SSE', open: openEventsBridge },
  ];
  for (const { title, open } of paths) {
    it(`${title}, judge responses, notifications and requests of the server by the request that they belong to`, async () => {
      const { url, origin, received } = await open();
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      const endpoint = await eventually(() => {
        const found = events.all.find(({ event }) => event === 'endpoint');
        expect(found).not.to.equal(undefined);
        return new URL(found?.data ?? '', origin);
      });
      const post = (body: string) => send(endpoint, { method: 'POST', headers: TYPE, body });
      await post(JSON.stringify({ jsonrpc: '2.0', ...initialize('2024-11-05', { sampling: {} }) }));
      await eventually(() => expect(received().length).to.be.at.least(1));

      expect((await post(call('plain', 'x'))).status).to.equal(202);
      expect((await events.got(({ id }) => id === 'x')).result.judged).to.equal(true);
      const told = await events.got(({ method }) => method === TOLD.method);
      expect(told.params.data).to.equal('[hidden]');
      await eventually(() =>
        expect(received().some((text) => text.includes(QUESTION.id) && text.includes('"error"'))).to.equal(
          true,
        ),
      );
      expect(events.messages.some(({ method }) => method === QUESTION.method)).to.equal(false);

      expect((await post(call('forbidden', 2))).status).to.equal(202);
      expect((await events.got(({ id }) => id === 2)).error).to.deep.equal({
        code: 403,
        message: 'Not here.',
      });
      expect((await post(call('known', 3))).status).to.equal(202);
      expect((await events.got(({ id }) => id === 3)).result).to.deep.equal({ content: [], known: true });
      expect(received().some((text) => /forbidden|known/.test(text))).to.equal(false);
      events.leave();
    });
  }

  it('accept messages over HTTP+SSE while one of the streams that announced the endpoint is open', async () => {
    const { url, origin, backend, proxy } = await openHttp('sse', overEvents());
    const endpoint = new URL('/messages?session_id=7', origin);
    const post = async (): Promise<number> =>
      (
        await send(endpoint, {
          method: 'POST',
          headers: TYPE,
          body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        })
      ).status;
    const listen = async (): Promise<Events> => {
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      await eventually(() => expect(events.all.some(({ event }) => event === 'endpoint')).to.equal(true));
      return events;
    };
    expect(await post()).to.equal(404);
    expect(backend.received).to.have.length(0);
    const streams = [await listen(), await listen(), await listen()];
    for (const stream of streams) {
      expect(await post()).to.equal(202);
      const open = proxy.stats.waiting;
      stream.leave();
      await eventually(() => expect(proxy.stats.waiting).to.equal(open - 1));
    }
    expect(await post()).to.equal(404);
  });

  for (const [status, next] of [
    [400, 429],
    [429, 429],
    [408, 400],
    [503, 400],
  ] as const)
    it(`over HTTP+SSE, an id that the server refused with ${status} ${next === 400 ? 'stays in use' : 'is free again'}`, async () => {
      const listening = overEvents();
      let answered = status as number;
      const { url, origin, backend } = await openHttp('sse', (request, response) => {
        if (request.method === 'GET') return listening(request, response);
        response.writeHead(answered).end('no');
        answered = 429;
      });
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      await eventually(() => expect(events.all.some(({ event }) => event === 'endpoint')).to.equal(true));
      const endpoint = new URL('/messages?session_id=7', origin);
      const post = () => send(endpoint, { method: 'POST', headers: TYPE, body: call('plain', 4) });
      expect((await post()).status).to.equal(status);
      expect((await post()).status).to.equal(next);
      expect(backend.received.filter(({ method }) => method === 'POST')).to.have.length(next === 400 ? 1 : 2);
      events.leave();
    });

  const brokenOff: readonly (readonly [title: string, end: (response: ServerResponse) => void])[] = [
    ['breaks the connection', (response) => response.destroy()],
    [
      'answers in an encoding that nobody knows',
      (response) => response.writeHead(200, { 'Content-Encoding': 'unknown' }).end('no'),
    ],
    [
      'redirects to another host',
      (response) => response.writeHead(307, { Location: 'http://[::]:1/' }).end(),
    ],
  ];
  for (const [title, end] of brokenOff)
    it(`over HTTP+SSE, report a server that ${title} on the stream, and keep the id in use until the late response, which they drop`, async () => {
      let stream: ServerResponse | undefined;
      const posted: string[] = [];
      const { url, origin } = await openHttp('sse', ({ method, body }, response) => {
        if (method === 'GET') {
          stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
          return;
        }
        posted.push(JSON.parse(body.toString()).method);
        if (posted.length === 1) end(response);
        else response.writeHead(202).end('Accepted');
      });
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      await eventually(() => expect(events.all.some(({ event }) => event === 'endpoint')).to.equal(true));
      const endpoint = new URL('/messages?session_id=7', origin);
      const post = (body: string) => send(endpoint, { method: 'POST', headers: TYPE, body });
      expect((await post(call('plain', 4))).status).to.equal(202);
      expect((await events.got(({ id }) => id === 4)).error.code).to.equal(-32603);
      expect((await post('{"jsonrpc":"2.0","id":4,"method":"ping"}')).status).to.equal(400);
      expect(posted).to.deep.equal(['tools/call']);
      stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...answerOf({ text: '', id: 4 }) })}\n\n`);
      // The server has responded, so the client can use the id again.
      await eventually(async () =>
        expect((await post('{"jsonrpc":"2.0","id":4,"method":"ping"}')).status).to.equal(202),
      );
      expect(events.messages.filter(({ id }) => id === 4)).to.have.length(1);
      events.leave();
    });

  it('judge a response on a resumed stream once, by its request, and drop one without a request', async () => {
    const { url } = await openHttp('streamable-http', ({ method, body }, response) => {
      const say = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
      if (method === 'GET') {
        const events = [
          answerOf({ text: '', id: 9 }),
          answerOf({ text: '', id: 9 }),
          answerOf({ text: '', id: 10 }),
        ];
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(events.map(say).join(''));
        return;
      }
      const message = JSON.parse(body.toString());
      if (message.method !== 'tools/call') {
        const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 's' };
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
        return;
      }
      // The stream ends before the response.
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('id: 1\ndata: \n\n');
    });
    const client = await McpClient.connect(url);
    const broken = await client.stream(call('plain', 9));
    await broken.over();
    // The first call is still pending. A second request with its id would make its response ambiguous.
    const again = await client.post({ id: 9, method: 'ping' });
    expect([again.status, again.json.id, again.json.error.code]).to.deep.equal([400, 9, -32600]);
    const resumed = await client.listen({ 'Last-Event-ID': '1' });
    await resumed.over();
    expect(resumed.messages.map(({ id, result }) => [id, result.judged])).to.deep.equal([[9, true]]);
  });

  it('free an id when the server sends no response to it', async () => {
    const { url } = await openHttp('streamable-http', ({ body }, response) => {
      const { id, method } = JSON.parse(body.toString());
      const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 's' };
      if (method === 'tools/call') response.writeHead(503).end('busy');
      else response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
    const client = await McpClient.connect(url);
    for (const status of [503, 503]) expect((await client.post(call('plain', 4))).status).to.equal(status);
    expect((await client.post({ id: 4, method: 'ping' })).status).to.equal(200);
  });

  it('write new events with ids and retry times, and comments of the proxy', async () => {
    const text =
      ': hello\r\n\r\nid: 1\r\ndata: \r\n\r\nretry: 7\n\nid:2\rdata:{"jsonrpc":"2.0",\rdata: "id":1,"result":{ }}\r\r';
    const { url } = await openHttp(
      'streamable-http',
      (_request, response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(text),
      { onResponse: () => undefined },
    );
    const answer = await send(url, { method: 'POST', headers: TYPE, body: call('plain') });
    expect(answer.text).to.equal(
      ': keep-alive\n\nid: 1\ndata: \n\nretry: 7\n\nid: 2\nevent: message\ndata: {"jsonrpc":"2.0",\ndata: "id":1,"result":{ }}\n\n',
    );
  });

  for (const encoding of ['gzip', 'none that anybody knows']) {
    it(`E08: judge a response that is compressed without being requested (${encoding})`, async () => {
      const { url, backend } = await openHttp('streamable-http', ({ body }, response) => {
        const { id } = JSON.parse(body.toString());
        const bytes = gzipSync(JSON.stringify({ jsonrpc: '2.0', ...answerOf({ text: '', id }) }));
        const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding, ETag: '"a"' };
        response.writeHead(200, headers).end(bytes);
      });
      const answer = await send(url, {
        method: 'POST',
        headers: { ...TYPE, 'Accept-Encoding': 'gzip' },
        body: call('plain'),
      });
      expect(backend.received[0]?.headers['accept-encoding']).to.equal('identity');
      if (encoding === 'gzip') expect([answer.status, answer.json.result.judged]).to.deep.equal([200, true]);
      else expect([answer.status, answer.json.error.code]).to.deep.equal([502, -32603]);
      expect(answer.headers).not.to.have.any.keys('content-encoding', 'etag');
    });
  }

  const listed = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'secret word' }] } });
  for (const type of [
    'text/event-stream-x',
    'text/event-stream.json',
    'text/event-stream+application/json',
    'text/event-stream, application/json',
    'text/event-stream;a=b, application/json',
    'application/json, text/event-stream',
    ['text/event-stream', 'application/json'],
    ['application/json', 'text/event-stream'],
    'text/event-streams',
    'xtext/event-stream',
  ]) {
    it(`judge a document as a document under the type ${JSON.stringify(type)}`, async () => {
      const { url } = await openHttp('streamable-http', (_request, response) => {
        response.writeHead(200, { 'Content-Type': type }).end(`${listed}\n\n`);
      });
      const got = await send(url, { method: 'POST', headers: TYPE, body: call('plain') });
      expect([got.status, got.json.result.judged]).to.deep.equal([200, true]);
    });
  }

  for (const type of [
    'text/event-stream',
    'TEXT/EVENT-STREAM',
    'text/event-stream; charset=utf-8',
    ' text/event-stream ;x',
  ]) {
    for (const [title, body] of Object.entries({
      'a document': `${listed}\n\n`,
      'a document before a message': `${listed}\ndata: ${written(1)}\n\n`,
      'a document after a message': `data: ${written(1)}\n${listed}\n\n`,
      'a document beside an id': `id: 1\n${listed}\n\n`,
      'a document beside empty data': `data:\n${listed}\n\n`,
      'a field with a blank before it': ` data: ${listed}\n\n`,
      'a field in capitals': `DATA: ${listed}\n\n`,
      'a field of another name': `datum: ${listed}\n\n`,
      'lines that end with CR': `${listed}\r\r`,
      'a byte order mark inside': `: x\n\n\u{FEFF}data: ${listed}\n\n`,
      // N13
      'a comment': `: ${listed}\n\n`,
      'a comment beside a message': `: ${listed}\ndata: ${written(1)}\n\n`,
      'the name of an event': `event: ${listed}\n\n`,
      'the name of a message': `event: ${listed}\ndata: ${written(1)}\n\n`,
      'an id': `id: ${listed}\n\n`,
      'an id of a message': `id: ${listed}\ndata: ${written(1)}\n\n`,
      'an id that is long': `id: ${'x'.repeat(257)} secret word\ndata: ${written(1)}\n\n`,
      'an id with NUL': `id: a\u0000secret word\ndata: ${written(1)}\n\n`,
      'a time to wait': `retry: ${listed}\n\n`,
      'a time to wait before a message': `retry: 7 secret word\ndata: ${written(1)}\n\n`,
    })) {
      it(`remove from ${type} every message that no policy judged: ${title}`, async () => {
        const { url } = await openHttp('streamable-http', (_request, response) => {
          response.writeHead(200, { 'Content-Type': type }).end(`: here\nretry: 5\n\n${body}`);
        });
        const got = await send(url, { method: 'POST', headers: TYPE, body: call('plain') });
        expect(got.text).to.include('retry: 5\n\n').and.not.include('secret word');
        for (const line of got.text.split('\n'))
          expect(line).to.match(/^(?:$|:|(?:data|id|retry|event)(?::|$))/);
      });
    }
  }

  for (const [line, passed] of Object.entries({
    'id: s1-7': 'id: s1-7',
    [`id: ${'x'.repeat(256)}`]: `id: ${'x'.repeat(256)}`,
    [`id: ${'x'.repeat(257)}`]: undefined,
    'id: {"a":1}': undefined,
    'id: zürich': undefined,
    id: 'id: ',
    'retry: 0': 'retry: 0',
    'retry: 3600000': 'retry: 3600000',
    'retry: 3600001': undefined,
    'retry: -1': undefined,
    'retry: 1e3': undefined,
    'retry: 0000000000000000001': undefined,
    'event: other': undefined,
    ': comment': undefined,
  })) {
    it(`write the line ${JSON.stringify(line.slice(0, 20))} of an event as ${JSON.stringify(passed?.slice(0, 20) ?? 'nothing')} (N13)`, async () => {
      const { url } = await openHttp('streamable-http', (_request, response) => {
        const type = { 'Content-Type': 'text/event-stream' };
        response.writeHead(200, type).end(`${line}\ndata: ${written(1)}\n\n`);
      });
      const got = await send(url, { method: 'POST', headers: TYPE, body: call('plain') });
      const [, ...rest] = got.text.split('event: message\ndata: ');
      expect(rest).to.have.length(1);
      expect(got.text.split('event: message')[0]).to.equal(passed === undefined ? '' : `${passed}\n`);
    });
  }

  for (const [title, spoil] of [
    ['broken', (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 12, 20)],
    ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 8)],
    ['not compressed at all', () => Buffer.from(written(1))],
  ] as const) {
    it(`respond with 502 when a compressed response is ${title}`, async () => {
      const { url, logger } = await openHttp('streamable-http', (_request, response) => {
        const bytes = spoil(gzipSync(written(1)));
        response
          .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
          .end(bytes);
      });
      const got = await send(url, { method: 'POST', headers: TYPE, body: call('plain') });
      expect([got.status, got.json.id, got.json.error.code]).to.deep.equal([502, 1, -32603]);
      expect(got.json.error.message).to.include('cannot be decompressed');
      expect(logger.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  }

  const documents: readonly (readonly [
    title: string,
    status: number,
    type: string,
    body: string,
    passes: boolean,
  ])[] = [
    ['two documents', 200, 'application/json', `${written(1)}\n${written(1)}`, false],
    ['a response with another id', 200, 'application/json', written(2), false],
    ['a response without a Content-Type', 200, '', written(1), true],
    ['a result with an error status', 400, 'application/json', '{"result":{"tools":[]}}', false],
    [
      'an error of a server that could not read the id',
      400,
      'application/json',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
      true,
    ],
    ['a page with an error status', 500, 'text/html', '<p>no</p>', true],
    ['a page', 200, 'text/html', '<p>yes</p>', false],
    ['bytes that are not UTF-8', 200, 'application/json', '\u{FFFD}\u{0}', false],
  ];
  for (const [title, status, type, body, passes] of documents) {
    it(`${passes ? 'pass' : 'refuse'} ${title} from the server`, async () => {
      const { url } = await openHttp('streamable-http', (_request, response) => {
        response.writeHead(status, type === '' ? {} : { 'Content-Type': type }).end(body);
      });
      const got = await send(url, { method: 'POST', headers: TYPE, body: call('plain') });
      if (passes) expect(got.status).to.equal(status);
      else expect([got.status, got.json.error.code]).to.deep.equal([502, -32603]);
      if (passes && !got.text.includes('judged')) expect(got.text).to.equal(body);
    });
  }

  function written(id: number): string {
    return JSON.stringify({ jsonrpc: '2.0', ...answerOf({ text: '', id }) });
  }
});
