import { PortolanError } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StdioClientUnderTest } from '../../../../test/support/front-under-test.ts';

interface Asked {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: Record<string, unknown> | undefined;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } };
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function json(
  response: ServerResponse,
  body: object,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function result(id: unknown, value: object = {}): object {
  return { jsonrpc: '2.0', id, result: value };
}

/**
 * Returns a handler that responds to handshakes, notifications and the end of sessions, and leaves everything
 * else to the test.
 */
function proxyLike(answer: Answer): Answer {
  return (asked, response) => {
    const { method, message } = asked;
    if (method === 'DELETE') return void response.writeHead(200).end();
    if (method === 'POST' && message?.['method'] === 'initialize')
      return json(response, result(message['id'], { protocolVersion: '2025-06-18' }), {
        'Mcp-Session-Id': 'one',
      });
    if (method === 'POST' && message?.['id'] === undefined) return void response.writeHead(202).end();
    if (method === 'GET' && asked.headers['last-event-id'] === undefined)
      return void response.writeHead(405).end();
    answer(asked, response);
  };
}

describe('serveStdioClient', function () {
  this.timeout(120_000);
  const servers: Server[] = [];
  const fronts: StdioClientUnderTest[] = [];
  afterEach(async () => {
    for (const front of fronts.splice(0)) await front.end().catch(() => undefined);
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serve(answer: Answer): Promise<{ readonly url: URL; readonly asked: Asked[] }> {
    const asked: Asked[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        // SAFETY: the stdio client sends JSON-RPC messages.
        const message = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
        const one = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          message,
        };
        asked.push(one);
        answer(one, response);
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // SAFETY: the server listens on a TCP port.
    return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), asked };
  }

  function open(
    url: URL | (() => URL),
    patienceMs = 200,
    transport: 'streamable-http' | 'sse' = 'streamable-http',
  ): StdioClientUnderTest {
    const front = new StdioClientUnderTest({ url, patienceMs, transport });
    fronts.push(front);
    return front;
  }

  const answerTo = async (front: StdioClientUnderTest, id: unknown): Promise<Record<string, unknown>> =>
    await eventually(() => {
      const found = front.messages.find((one) => one['id'] === id && one['method'] === undefined);
      expect(found, JSON.stringify(front.messages)).to.not.equal(undefined);
      // SAFETY: the assertion above has checked it.
      return found as Record<string, unknown>;
    });

  it('ends the session when its input ends', async () => {
    const { url, asked } = await serve(proxyLike(() => undefined));
    const front = open(url);
    front.write(INITIALIZE);
    await answerTo(front, 0);
    await front.end();
    const last = asked.at(-1);
    expect([
      last?.method,
      last?.headers['mcp-session-id'],
      last?.headers['mcp-protocol-version'],
    ]).to.deep.equal(['DELETE', 'one', '2025-06-18']);
  });

  it('responds to the requests of a pipe that has already ended', async () => {
    const { url } = await serve(
      proxyLike(({ message }, response) => void setTimeout(() => json(response, result(message?.['id'])), 5)),
    );
    const front = new StdioClientUnderTest({ url, graceMs: 10_000 });
    front.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await front.end();
    expect(front.messages).to.deep.equal([result(1)]);
  });

  for (const status of [502, 503, 504]) {
    it(`repeats a request after status ${status} with Retry-After`, async () => {
      let refusals = 0;
      const { url, asked } = await serve(
        proxyLike(({ message }, response) => {
          if ((refusals += 1) > 3) return json(response, result(message?.['id']));
          const error = { code: -32603, message: 'The server is still starting.' };
          const now = { 'Retry-After': new Date(0).toUTCString(), Date: new Date(0).toUTCString() };
          json(
            response,
            { jsonrpc: '2.0', id: 1, error },
            refusals > 1 ? { 'Retry-After': '0' } : now,
            status,
          );
        }),
      );
      const front = open(url, 0);
      front.write({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect(await answerTo(front, 1)).to.deep.equal(result(1));
      expect(asked.filter(({ method }) => method === 'POST')).to.have.length(4);
    });
  }

  it('repeats initialize and notifications after a status with Retry-After', async () => {
    const refused = new Set<unknown>();
    const usual = proxyLike(() => undefined);
    const { url, asked } = await serve((one, response) => {
      const method = one.message?.['method'];
      if (one.method !== 'POST' || refused.has(method)) return usual(one, response);
      refused.add(method);
      response.writeHead(503, { 'Retry-After': '0' }).end();
    });
    const front = open(url);
    front.write(INITIALIZE);
    await answerTo(front, 0);
    front.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await eventually(() => {
      const methods = asked.flatMap(({ message }) => message?.['method'] ?? []);
      expect(methods).to.deep.equal([
        'initialize',
        'initialize',
        'notifications/initialized',
        'notifications/initialized',
      ]);
    });
    expect(front.told).to.deep.equal([]);
  });

  for (const [title, status, headers] of [
    ['503 without Retry-After', 503, {}],
    ['503 whose Retry-After is no time', 503, { 'Retry-After': 'soon' }],
    ['503 whose Retry-After is behind the start timeout', 503, { 'Retry-After': '3600' }],
    ['429 with Retry-After', 429, { 'Retry-After': '0' }],
    ['500 with Retry-After', 500, { 'Retry-After': '0' }],
  ] as const) {
    it(`forwards the error of status ${title}`, async () => {
      const error = { code: -32603, message: 'no' };
      const { url, asked } = await serve(
        proxyLike((_asked, response) => json(response, { jsonrpc: '2.0', id: 1, error }, headers, status)),
      );
      const front = open(url);
      front.write({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect(await answerTo(front, 1)).to.deep.equal({ jsonrpc: '2.0', id: 1, error });
      expect(asked.filter(({ method }) => method === 'POST')).to.have.length(1);
    });
  }

  it('repeats a request after an error event with retryAfterSeconds', async () => {
    let refusals = 0;
    const { url } = await serve(
      proxyLike(({ message }, response) => {
        refusals += 1;
        const error = {
          code: -32603,
          message: 'The server is still starting.',
          data: { retryAfterSeconds: 0 },
        };
        const body = refusals > 2 ? result(message?.['id']) : { jsonrpc: '2.0', id: 1, error };
        response
          .writeHead(200, { 'Content-Type': 'text/event-stream' })
          .end(`data: ${JSON.stringify(body)}\n\n`);
      }),
    );
    const front = open(url);
    front.write({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await answerTo(front, 1)).to.deep.equal(result(1));
  });

  it('forwards the error of a rate limit, even with retryAfterSeconds', async () => {
    const error = { code: 429, message: 'too many', data: { retryAfterSeconds: 0 } };
    const { url } = await serve(
      proxyLike((_asked, response) => json(response, { jsonrpc: '2.0', id: 1, error })),
    );
    const front = open(url);
    front.write({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await answerTo(front, 1)).to.deep.equal({ jsonrpc: '2.0', id: 1, error });
  });

  it('retries over HTTP+SSE for the stream, for messages and for error events that ask for it', async () => {
    let stream: ServerResponse | undefined;
    const seen = new Set<string>();
    const isFirst = (name: string): boolean => !seen.has(name) && seen.add(name).has(name);
    const { url } = await serve(({ method, message }, response) => {
      if (isFirst(method)) response.writeHead(503, { 'Retry-After': '0' }).end();
      else if (method === 'GET') {
        stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /messages\n\n');
      } else {
        response.writeHead(202).end();
        const error = {
          code: -32603,
          message: 'The server is still starting.',
          data: { retryAfterSeconds: 0 },
        };
        const id = message?.['id'];
        const said = isFirst('event') ? { jsonrpc: '2.0', id, error } : result(id);
        stream?.write(`event: message\ndata: ${JSON.stringify(said)}\n\n`);
      }
    });
    const front = open(url, 200, 'sse');
    front.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await answerTo(front, 1)).to.deep.equal(result(1));
    expect(front.messages).to.have.length(1);
  });

  it('ends the session when the client stops reading its output', async () => {
    const { url, asked } = await serve(proxyLike(() => undefined));
    const front = open(url);
    front.write(INITIALIZE);
    await answerTo(front, 0);
    front.breakOutput();
    await front.finished;
    expect(asked.at(-1)?.method).to.equal('DELETE');
  });

  it('responds with an error and a hint while the workload is stopped', async () => {
    const front = open(() => {
      throw new PortolanError('ERR_WORKLOAD_NOT_RUNNING', 'unavailable', 'crew is not running.', {
        hint: 'Start it with `portolan start crew`.',
      });
    });
    front.write(INITIALIZE);
    const answer = await answerTo(front, 0);
    expect(answer['error']).to.deep.equal({
      code: -32603,
      message: 'crew is not running. Start it with `portolan start crew`.',
    });
  });

  it('responds to an invalid message with an error, and goes on', async () => {
    const { url } = await serve(
      proxyLike(({ message }, response) => json(response, result(message?.['id']))),
    );
    const front = open(url);
    front.write('{"jsonrpc":\n');
    front.write('{"jsonrpc":"2.0","id":"a","method":7}\n\n');
    front.write('[{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","id":"c","method":"ping"}]\n');
    for (const id of ['b', 'c']) expect((await answerTo(front, id))['result']).to.deep.equal({});
    const codes = front.messages.flatMap(({ id, error }) =>
      error === undefined ? [] : [[id, (error as { readonly code: number }).code]],
    );
    expect(codes).to.deep.equal([
      [undefined, -32700],
      ['a', -32600],
    ]);
  });

  it('writes only messages, each on one line, and each response once', async () => {
    const { url } = await serve(
      proxyLike(({ message }, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        const answer = JSON.stringify(result(message?.['id'], { text: 'a\nb' }), null, 2);
        response.write(': hello\n\nevent: message\ndata: nonsense\n\n');
        response.write(`data: {"jsonrpc":"2.0","id":"foreign","result":{}}\n\n`);
        response.write(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n`);
        for (let times = 0; times < 2; times += 1)
          response.write(`${answer.replaceAll(/^/gm, 'data: ')}\n\n`);
        response.end();
      }),
    );
    const front = open(url);
    front.write({ jsonrpc: '2.0', id: 'x', method: 'ping' });
    expect((await answerTo(front, 'x'))['result']).to.deep.equal({ text: 'a\nb' });
    await front.end();
    expect(front.messages.map(({ id, method }) => id ?? method)).to.deep.equal([
      'notifications/message',
      'x',
    ]);
    expect(front.told.join()).to.contain('invalid message was ignored');
  });

  const broken: readonly (readonly [title: string, answer: Answer, said: RegExp])[] = [
    [
      'a stream that ends',
      (_asked, response) => void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(),
      /disconnected before it responded/,
    ],
    [
      'a connection that is cut',
      (_asked, response) => void response.destroy(),
      /disconnected; the request may/,
    ],
    [
      'a page',
      (_asked, response) => void response.writeHead(502).end('<html>'),
      /^crew responded with status 502$/,
    ],
    [
      'an error that names no request',
      ({ message }, response) =>
        json(response, { jsonrpc: '2.0', error: { code: 1, message: 'no' }, is: message?.['id'] }, {}, 503),
      /status 503/,
    ],
    [
      'a stream that nobody knows any more',
      ({ method }, response) =>
        method === 'GET'
          ? void response.writeHead(404).end()
          : void response
              .writeHead(200, { 'Content-Type': 'text/event-stream' })
              .end('id: 1\nretry: 1\ndata:\n\n'),
      /is no longer available/,
    ],
  ];
  for (const [title, answer, said] of broken) {
    it(`responds with an error when it gets ${title}`, async () => {
      const { url } = await serve(proxyLike(answer));
      const front = open(url);
      front.write({ jsonrpc: '2.0', id: 5, method: 'ping' });
      const { error } = await answerTo(front, 5);
      expect((error as { readonly message: string }).message).to.match(said);
    });
  }

  it('forwards an error response of the proxy', async () => {
    const own = { code: 403, message: 'denied', data: { denialId: 'd' } };
    const { url } = await serve(
      proxyLike(({ message }, response) =>
        json(response, { jsonrpc: '2.0', id: message?.['id'], error: own }, {}, 403),
      ),
    );
    const front = open(url);
    front.write({ jsonrpc: '2.0', id: 5, method: 'ping' });
    expect((await answerTo(front, 5))['error']).to.deep.equal(own);
  });

  it('replaces a lost session with its log level and subscriptions, and repeats the request', async () => {
    let sessions = 0;
    const { url, asked } = await serve(({ method, headers, message }, response) => {
      if (message?.['method'] === 'initialize') {
        sessions += 1;
        const id = `session ${sessions}`.replace(' ', '-');
        return json(response, result(message['id'], { protocolVersion: '2025-06-18' }), {
          'Mcp-Session-Id': id,
        });
      }
      if (message?.['method'] === 'tools/list' && headers['mcp-session-id'] === 'session-1')
        return void response.writeHead(404).end();
      if (method === 'GET') return void response.writeHead(405).end();
      if (message?.['id'] === undefined) return void response.writeHead(202).end();
      json(response, result(message['id'], { by: headers['mcp-session-id'] }));
    });
    const front = open(url);
    front.write(INITIALIZE);
    await answerTo(front, 0);
    front.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    front.write({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'info' } });
    front.write({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'a://b' } });
    await answerTo(front, 2);
    await answerTo(front, 1);
    front.write({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
    expect((await answerTo(front, 3))['result']).to.deep.equal({ by: 'session-2' });
    const anew = asked.filter(({ headers }) => headers['mcp-session-id'] === 'session-2');
    expect(
      anew.flatMap(({ method, message }) => (method === 'POST' ? [message?.['method']] : [])),
    ).to.deep.equal(['notifications/initialized', 'logging/setLevel', 'resources/subscribe', 'tools/list']);
    expect(front.told.join()).to.contain('a new session was opened');
    expect(front.messages.filter(({ id }) => id === 0)).to.have.lengthOf(1);
  });

  it('replaces a lost HTTP+SSE stream, and repeats the request', async () => {
    let streams = 0;
    const open404 = new Set<string>();
    const posted: string[] = [];
    const events = new Map<string, ServerResponse>();
    const { url } = await serve(({ method, message, path: asked }, response) => {
      if (method === 'GET') {
        streams += 1;
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: /message?session=${streams}\n\n`);
        events.set(`/message?session=${streams}`, response);
        return;
      }
      if (open404.has(asked)) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(202).end();
      const id = message?.['id'];
      posted.push(`${asked.at(-1)}: ${String(message?.['method'])}`);
      const value = { protocolVersion: '2025-06-18' };
      if (id !== undefined) events.get(asked)?.write(`data: ${JSON.stringify(result(id, value))}\n\n`);
    });
    const front = open(url, 2000, 'sse');
    front.write(INITIALIZE);
    await answerTo(front, 0);
    open404.add('/message?session=1');
    front.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await answerTo(front, 1);
    expect(posted).to.deep.equal([
      '1: initialize',
      '2: initialize',
      '2: notifications/initialized',
      '2: ping',
    ]);
    expect(front.messages).to.have.lengthOf(2);
  });

  it('ends when the restarted server negotiates another revision', async () => {
    let sessions = 0;
    const { url } = await serve(({ message }, response) => {
      if (message?.['method'] === 'initialize') {
        sessions += 1;
        const protocolVersion = sessions === 1 ? '2025-06-18' : '2025-03-26';
        return json(response, result(message['id'], { protocolVersion }), { 'Mcp-Session-Id': 'gone' });
      }
      response.writeHead(404).end();
    });
    const front = open(url);
    front.write(INITIALIZE);
    await answerTo(front, 0);
    front.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const fault: unknown = await front.finished.catch((error: unknown) => error);
    expect(fault).to.have.property('code', 'ERR_REVISION_CHANGED');
  });

  it('cancels a request without a handshake by closing its stream, and a request after a handshake by a notification', async () => {
    let ended = 0;
    const { url, asked } = await serve((one, response) => {
      if (one.message?.['id'] === undefined) {
        response.writeHead(202).end();
        return;
      }
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': here\n\n');
      response.on('close', () => {
        ended += 1;
      });
    });
    const front = open(url);
    front.write({ jsonrpc: '2.0', id: 1, method: 'prompts/list', params: { _meta: CLAIM } });
    front.write({ jsonrpc: '2.0', id: 2, method: 'prompts/list' });
    await eventually(() => expect(asked).to.have.lengthOf(2));
    front.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    front.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await eventually(() => expect(asked).to.have.lengthOf(3));
    await eventually(() => expect(ended).to.equal(1));
    expect(asked[2]?.message?.['params']).to.deep.equal({ requestId: 2 });
    await front.end();
    expect(front.messages).to.deep.equal([]);
  });

  it('adds the headers of a call without a handshake, also after the tools changed', async () => {
    let lists = 0;
    const { url, asked } = await serve(({ message, headers }, response) => {
      const id = message?.['id'];
      if (message?.['method'] === 'tools/list') {
        lists += 1;
        const properties = { region: { type: 'string', 'x-mcp-header': lists === 1 ? 'Old' : 'Region' } };
        return json(
          response,
          result(id, { tools: [{ name: 'go', inputSchema: { type: 'object', properties } }] }),
        );
      }
      if (headers['mcp-param-region'] !== undefined) return json(response, result(id));
      json(response, { jsonrpc: '2.0', id, error: { code: -32020, message: 'missing' } }, {}, 400);
    });
    const front = open(url);
    const params = { name: 'go', arguments: { region: 'ü' }, _meta: CLAIM };
    front.write({ jsonrpc: '2.0', id: 9, method: 'tools/call', params });
    expect((await answerTo(front, 9))['result']).to.deep.equal({});
    const { headers } = asked.at(-1) ?? {};
    expect(headers).to.include({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'go',
      'mcp-param-region': '=?base64?w7w=?=',
    });
    expect(headers).to.not.have.property('mcp-param-old');
    expect(headers).to.not.have.property('mcp-session-id');
  });

  it('refuses a second request with the same id while the first is pending', async () => {
    const { url } = await serve(() => undefined);
    const front = open(url);
    front.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    front.write({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect((await answerTo(front, 1))['error']).to.have.property('code', -32600);
  });

  it('keeps numbers and spaces of a message unchanged', async () => {
    const bodies: string[] = [];
    const { url } = await serve(() => undefined);
    const raw = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      request.on('end', () => {
        bodies.push(text);
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end('{"jsonrpc":"2.0","id":1e0,"result":{"n":12345678901234567890.10}}');
      });
    });
    servers.push(raw);
    raw.listen(0, '127.0.0.1');
    await once(raw, 'listening');
    const line = '{"jsonrpc": "2.0", "id":1, "method":"ping","params":{"n":1e400}}';
    // SAFETY: the server listens on a TCP port.
    const front = open(new URL(`http://127.0.0.1:${(raw.address() as AddressInfo).port}${url.pathname}`));
    front.write(`${line}\n`);
    await eventually(() => expect(front.messages).to.have.lengthOf(1));
    expect(bodies).to.deep.equal([line]);
  });
});
