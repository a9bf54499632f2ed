import type { HttpBackend, MessageSender } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { openHttpBackend } from '@portolan/proxy/http-backend';
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { caught } from '../../../../test/support/caught.ts';
import { ConnectionUnderTest, MODERN_META } from '../support/connection-under-test.ts';
import { type Handle, HttpBackendUnderTest, type Received } from '../support/http-backend.ts';
import { json, legacy, messageIn, stream } from '../support/http-fixtures.ts';

function sender(headers: Readonly<Record<string, string>>): MessageSender {
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers,
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(),
    caller: undefined,
    program: undefined,
  };
  const exchange = { request, caller: undefined, era: undefined, sessionId: undefined, isBatch: false };
  return { owner: undefined, exchange };
}

describe('connection to an HTTP server', function () {
  this.timeout(60_000);
  const servers: HttpBackendUnderTest[] = [];
  const connections: ConnectionUnderTest[] = [];
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
    for (const server of servers.splice(0)) await server.close();
  });

  async function serve(handle: Handle): Promise<HttpBackendUnderTest> {
    const server = await HttpBackendUnderTest.start(handle);
    servers.push(server);
    return server;
  }

  async function open(
    ...parameters: Parameters<typeof ConnectionUnderTest.open>
  ): Promise<ConnectionUnderTest> {
    const connection = await ConnectionUnderTest.open(...parameters);
    connections.push(connection);
    return connection;
  }

  const result = (request: Received, value: object = {}): object => ({
    jsonrpc: '2.0',
    id: messageIn(request).id,
    result: value,
  });

  describe('of a session', () => {
    it('sends session id and revision with every request, and ends the session when it is closed', async () => {
      const server = await serve(legacy((request, response) => json(response, result(request))));
      const connection = await open({ target: server.url });
      await connection.handshake();
      await connection.ask('tools/list');
      await connection.close();
      const [first, ...others] = server.received;
      expect(first?.headers).to.not.have.any.keys('mcp-session-id', 'mcp-protocol-version');
      for (const { headers } of others)
        expect(headers).to.include({ 'mcp-session-id': 'one', 'mcp-protocol-version': '2025-06-18' });
      expect(others.map(({ method }) => method).toSorted()).to.deep.equal(['DELETE', 'GET', 'POST', 'POST']);
      expect(server.received.at(-1)?.method).to.equal('DELETE');
    });

    const losses: readonly (readonly [string, (response: ServerResponse) => void])[] = [
      ['404', (response) => response.writeHead(404).end()],
      [
        '404 and the error of an SDK',
        (response) =>
          json(
            response,
            { jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null },
            {},
            404,
          ),
      ],
      [
        '400 and the error of an SDK (No valid session ID provided)',
        (response) => {
          const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
          json(response, { jsonrpc: '2.0', error, id: null }, {}, 400);
        },
      ],
    ];
    for (const [title, respond] of losses) {
      it(`ends with status ${title}, and repeats no request that may have run`, async () => {
        let isLost = false;
        const server = await serve(
          legacy((request, response) => {
            if (isLost) respond(response);
            else if (messageIn(request).method === 'tools/call') stream(response, ': working\n\n');
            else json(response, result(request));
          }),
        );
        const connection = await open({ target: server.url });
        await connection.handshake();
        const running = await connection.begin('tools/call', { name: 'slow' });
        await eventually(() => expect(server.received.at(-1)?.body.toString()).to.contain('tools/call'));
        isLost = true;
        const lost = await connection.ask('tools/list');
        expect(lost.error?.data).to.deep.equal({ reason: 'session-lost', status: 404 });
        expect((await connection.responseTo(running)).error?.data).to.deep.equal({ reason: 'interrupted' });
        await eventually(() => expect(connection.end).to.have.property('reason', 'session-lost'));
        const fault: unknown = await connection
          .send({ id: 9, method: 'ping' })
          .catch((error: unknown) => error);
        expect(fault).to.have.property('reason', 'session-lost');
        isLost = false;
        await connection.reopen();
        await connection.handshake();
        expect((await connection.ask('tools/list')).result).to.deep.equal({});
        const calls = server.received.filter((request) => messageIn(request).method === 'tools/call');
        expect(calls).to.have.lengthOf(1);
      });
    }

    it('stays open when a method is unknown with status 404', async () => {
      const error = { code: -32601, message: 'Method not found' };
      const server = await serve(
        legacy((request, response) =>
          json(response, { ...result(request), result: undefined, error }, {}, 404),
        ),
      );
      const connection = await open({ target: server.url });
      await connection.handshake();
      expect((await connection.ask('nonsense')).error).to.deep.equal(error);
      expect(connection.end).to.equal(undefined);
    });

    it('ends when the stream for messages of the server gets status 404', async () => {
      const usual = legacy((request, response) => json(response, result(request)));
      const server = await serve((request, response) =>
        request.method === 'GET' ? void response.writeHead(404).end() : usual(request, response),
      );
      const connection = await open({ target: server.url });
      await connection.handshake();
      await eventually(() => expect(connection.end).to.have.property('reason', 'session-lost'));
    });

    it('keeps the stream for messages of the server open, and resumes it after the last event', async () => {
      const resumed: (string | undefined)[] = [];
      const usual = legacy((request, response) => json(response, result(request)));
      const server = await serve((request, response) => {
        if (request.method !== 'GET') return usual(request, response);
        const last = request.headers['last-event-id'];
        resumed.push(last === undefined ? undefined : String(last));
        const event = `id: ${resumed.length}\nretry: 5\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`;
        stream(response, event);
        if (resumed.length < 3) setImmediate(() => response.end());
      });
      const connection = await open({ target: server.url });
      await connection.handshake();
      await eventually(() => expect(resumed).to.deep.equal([undefined, '1', '2']));
      await eventually(() =>
        expect(connection.messages.filter(({ method }) => method?.includes('list_changed'))).to.have.lengthOf(
          3,
        ),
      );
    });

    it('opens the stream for messages of the server again after a failure', async () => {
      let opened = 0;
      const usual = legacy((request, response) => json(response, result(request)));
      const server = await serve((request, response) => {
        if (request.method !== 'GET') return usual(request, response);
        opened += 1;
        if (opened === 1) return response.destroy();
        if (opened === 2) return response.writeHead(503).end();
        stream(response, 'data: {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}\n\n');
      });
      const connection = await open({ target: server.url });
      await connection.handshake();
      await eventually(() =>
        expect(connection.messages.map(({ method }) => method)).to.include(
          'notifications/prompts/list_changed',
        ),
      );
      expect(connection.end).to.equal(undefined);
    });

    it('resumes the stream of a response after its last event', async () => {
      const usual = legacy((_request, response) => {
        stream(response, 'id: 7\nretry: 1\ndata:\n\n');
        response.end();
      });
      const server = await serve((request, response) => {
        if (request.headers['last-event-id'] !== '7') return usual(request, response);
        stream(response, `data: ${JSON.stringify({ jsonrpc: '2.0', id: 2, result: { isLate: true } })}\n\n`);
        response.end();
      });
      const connection = await open({ target: server.url });
      await connection.handshake('2025-11-25');
      expect((await connection.ask('tools/call', { name: 'a' })).result).to.deep.equal({ isLate: true });
    });

    it('sends requests only after the server has `notifications/initialized`', async () => {
      let initialized: ServerResponse | undefined;
      const usual = legacy((request, response) => json(response, result(request)));
      const server = await serve((request, response) => {
        if (messageIn(request).method === 'notifications/initialized') initialized = response;
        else usual(request, response);
      });
      const connection = await open({ target: server.url });
      await connection.ask('initialize', {});
      void connection.send({ method: 'notifications/initialized' });
      const id = connection.begin('tools/list');
      await eventually(() => expect(initialized).to.not.equal(undefined));
      expect(server.received).to.have.lengthOf(2);
      initialized?.writeHead(202).end();
      await connection.responseTo(await id);
    });

    it('cancels a request by a notification, then closes its stream, and passes on no response', async () => {
      let isClosed = false;
      const server = await serve(
        legacy((_request, response) => {
          stream(response, ': working\n\n');
          response.once('close', () => {
            isClosed = true;
          });
        }),
      );
      const connection = await open({ target: server.url });
      await connection.handshake();
      const id = await connection.begin('tools/call', { name: 'slow' });
      await eventually(() => expect(server.received.at(-1)?.body.toString()).to.contain('tools/call'));
      await connection.send({ method: 'notifications/cancelled', params: { requestId: id } });
      await eventually(() => expect(isClosed).to.equal(true));
      expect(messageIn(server.received.at(-1) as Received).params).to.deep.equal({ requestId: id });
      expect(connection.responsesTo(id)).to.deep.equal([]);
      expect(connection.outcomes).to.deep.equal(['responded']);
    });
  });

  describe('without a handshake', () => {
    it('sends the headers of each message', async () => {
      const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } };
      const tools = [{ name: 'go', inputSchema: { type: 'object', properties } }];
      const server = await serve((request, response) =>
        json(response, result(request, messageIn(request).method === 'tools/list' ? { tools } : {})),
      );
      const connection = await open({ target: server.url });
      const call = await connection.askModern('tools/call', { name: 'go', arguments: { region: 'ü' } });
      expect(call.result).to.deep.equal({});
      expect(server.received.map((request) => messageIn(request).method)).to.deep.equal([
        'tools/list',
        'tools/call',
      ]);
      expect(server.received[1]?.headers).to.include({
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'go',
        'mcp-param-region': '=?base64?w7w=?=',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      });
    });

    it('cancels a request by closing its stream', async () => {
      const server = await serve((_request, response) => stream(response, ': working\n\n'));
      const connection = await open({ target: server.url });
      const id = await connection.begin('subscriptions/listen', { _meta: MODERN_META });
      await eventually(() => expect(server.open).to.equal(1));
      await connection.send({ method: 'notifications/cancelled', params: { requestId: id } });
      await eventually(() => expect(server.open).to.equal(0));
      expect(server.received).to.have.lengthOf(1);
      expect(connection.messages).to.deep.equal([]);
    });

    it('accepts only the response to the request on its stream, and only once', async () => {
      let first: ServerResponse | undefined;
      const server = await serve((request, response) => {
        if (first === undefined) {
          first = response;
          return stream(response, ': waiting\n\n');
        }
        const own = JSON.stringify(result(request, { isOwn: true }));
        const foreign = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isForeign: true } });
        stream(response, ...[foreign, own, own].map((text) => `data: ${text}\n\n`));
        response.end();
      });
      const connection = await open({ target: server.url });
      await connection.begin('prompts/list', { _meta: MODERN_META });
      await eventually(() => expect(first).to.not.equal(undefined));
      const own = await connection.askModern('prompts/list');
      expect(own.result).to.deep.equal({ isOwn: true });
      first?.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })}\n\n`);
      expect((await connection.responseTo(1)).result).to.deep.equal({});
      expect(connection.messages).to.have.lengthOf(2);
    });
  });

  describe('redirects', () => {
    it('follows a redirect of the same host with method, body and credentials', async () => {
      const server = await serve((request, response) => {
        if (request.url === '/old') response.writeHead(307, { Location: '/new?a=1' }).end();
        else json(response, result(request));
      });
      const connection = await open({
        target: new URL('/old', server.url),
        forwardHeaders: [{ name: 'Authorization', value: 'Bearer a' }],
      });
      expect((await connection.askModern('prompts/list')).result).to.deep.equal({});
      const last = server.received.at(-1);
      expect([last?.method, last?.url, last?.headers.authorization]).to.deep.equal([
        'POST',
        '/new?a=1',
        'Bearer a',
      ]);
    });

    it('does not follow a redirect to another host', async () => {
      const other = await serve((request, response) => json(response, result(request)));
      const server = await serve((_request, response) =>
        response.writeHead(307, { Location: new URL('/mcp', other.url).href }).end(),
      );
      const connection = await open({ target: server.url });
      const { error } = await connection.askModern('prompts/list');
      expect(error?.data).to.deep.equal({ reason: 'invalid-response' });
      expect(error?.message).to.contain('to another address');
      expect(other.received).to.deep.equal([]);
    });

    it('does not follow a loop', async () => {
      const server = await serve((_request, response) => response.writeHead(308, { Location: '/' }).end());
      const connection = await open({ target: server.url });
      expect((await connection.askModern('prompts/list')).error?.message).to.contain('more than 10 times');
      expect(server.received).to.have.lengthOf(11);
    });
  });

  describe('over HTTP+SSE', () => {
    for (const endpoint of [
      'http://127.0.0.1:1/messages',
      '//127.0.0.1:1/messages',
      'file:///etc/passwd',
      '',
    ]) {
      it(`does not post to the announced endpoint ${JSON.stringify(endpoint)}`, async () => {
        const server = await serve((_request, response) => {
          stream(response, `event: endpoint\ndata: ${endpoint}\n\n`);
          if (endpoint === '') response.end();
        });
        const connection = await open({ target: server.url, transport: 'sse' });
        const { error } = await connection.ask('initialize', {});
        expect(error?.data).to.deep.equal({ reason: endpoint === '' ? 'interrupted' : 'invalid-response' });
        expect(server.received.map(({ method }) => method)).to.deep.equal(['GET']);
      });
    }

    it('ends with the reason session-lost when a message gets status 404', async () => {
      let events: ServerResponse | undefined;
      const server = await serve((request, response) => {
        if (request.method === 'GET') {
          events = response;
          return stream(response, 'event: endpoint\ndata: /messages\n\n');
        }
        if (messageIn(request).method !== 'initialize') return response.writeHead(404).end();
        response.writeHead(202).end();
        events?.write(`data: ${JSON.stringify(result(request, { protocolVersion: '2024-11-05' }))}\n\n`);
      });
      const connection = await open({ target: server.url, transport: 'sse' });
      await connection.ask('initialize', {});
      const { error } = await connection.ask('tools/list');
      expect(error?.data).to.deep.equal({ reason: 'session-lost', status: 404 });
      await eventually(() => expect(connection.end).to.have.property('reason', 'session-lost'));
    });

    it('ends when its stream breaks, and its pending requests fail', async () => {
      let events: ServerResponse | undefined;
      const server = await serve((request, response) => {
        if (request.method === 'GET') stream((events = response), 'event: endpoint\ndata: /messages\n\n');
        else response.writeHead(202).end();
      });
      const connection = await open({ target: server.url, transport: 'sse' });
      const id = await connection.begin('initialize', {});
      await eventually(() => expect(server.received).to.have.lengthOf(2));
      events?.destroy();
      expect((await connection.responseTo(id)).error?.data).to.deep.equal({ reason: 'interrupted' });
      await eventually(() => expect(connection.end).to.have.property('reason', 'interrupted'));
    });
  });

  describe('headers', () => {
    it('passes on only the named headers of a client, and never its credentials', async () => {
      const server = await serve((request, response) => json(response, result(request)));
      const connection = await open(
        { target: server.url, forwardHeaders: [{ name: 'X-Static', value: 'yes' }] },
        { passHeaders: ['X-Request-Id', 'X-Named', 'Traceparent'] },
      );
      const client = sender({
        authorization: 'Bearer client',
        cookie: 'a=b',
        connection: 'keep-alive, x-named',
        'x-named': 'hop',
        'x-request-id': 'r1',
        'x-other': 'no',
        'x-forwarded-for': '10.0.0.1',
        traceparent: 'bad\nvalue',
      });
      await connection.askModern('prompts/list', {}, client);
      const { headers } = server.received[0] as Received;
      expect(headers).to.include({ 'x-request-id': 'r1', 'x-static': 'yes' });
      expect(headers).to.not.have.any.keys(
        'authorization',
        'cookie',
        'x-named',
        'x-other',
        'x-forwarded-for',
        'traceparent',
      );
    });

    for (const name of [
      'Authorization',
      'Cookie',
      'Host',
      'TE',
      'X-Forwarded-For',
      'Mcp-Session-Id',
      'Mcp-Param-A',
    ]) {
      it(`refuses to pass on ${name}`, async () => {
        const server: HttpBackend = {
          carries: 'http',
          transport: 'streamable-http',
          target: new URL('http://127.0.0.1:1/mcp'),
          isRemote: true,
        };
        const error = await caught(() => openHttpBackend(server, { version: '1.0.0', passHeaders: [name] }));
        expect(error.code).to.equal('ERR_FORWARDED_HEADER_RESTRICTED');
      });
    }

    it('sends each request with the credentials of its sender', async () => {
      const server = await serve((request, response) =>
        json(response, result(request, { by: request.headers.authorization })),
      );
      const connection = await open(
        { target: server.url },
        {
          middleware: [
            {
              name: 'exchange',
              placed: 'exchange',
              instance: {
                credentials: async (_outgoing, { request }) => [
                  { name: 'Authorization', value: `Bearer for ${String(request.headers['x-user'])}` },
                ],
              },
            },
          ],
        },
      );
      const users = Array.from({ length: 20 }, (_value, at) => `user-${at}`);
      const all = await Promise.all(
        users.map(async (user) => await connection.askModern('prompts/list', {}, sender({ 'x-user': user }))),
      );
      expect(all.map((response) => response.result?.['by'])).to.deep.equal(
        users.map((user) => `Bearer for ${user}`),
      );
    });
  });

  describe('limits', () => {
    it('responds with the reason busy above the maximum of pending requests', async () => {
      const server = await serve((_request, response) => stream(response, ': working\n\n'));
      const connection = await open({ target: server.url }, { limits: { pendingRequests: 2 } });
      for (let calls = 0; calls < 2; calls += 1)
        await connection.begin('prompts/list', { _meta: MODERN_META });
      const { error } = await connection.askModern('prompts/list');
      expect(error?.data).to.deep.equal({ reason: 'busy' });
      await eventually(() => expect(server.received).to.have.lengthOf(2));
    });

    it('responds with the reason busy above the maximum of pending bytes', async () => {
      const server = await serve((_request, response) => stream(response, ': working\n\n'));
      const connection = await open({ target: server.url }, { limits: { pendingBytes: 1000 } });
      const { error } = await connection.askModern('prompts/get', { name: 'x'.repeat(1000) });
      expect(error?.data).to.deep.equal({ reason: 'busy' });
    });

    it('posts at most the maximum number of notifications in parallel', async () => {
      const held: ServerResponse[] = [];
      const server = await serve((_request, response) => void held.push(response));
      const connection = await open({ target: server.url }, { limits: { posts: 2 } });
      for (let at = 0; at < 5; at += 1)
        void connection.send({ method: 'notifications/progress', params: { at } });
      for (const count of [2, 4, 5]) {
        await eventually(() => expect(server.received).to.have.lengthOf(count));
        for (const response of held.splice(0)) response.writeHead(202).end();
      }
    });

    it('gives up a notification that the server does not accept in time', async () => {
      const server = await serve(() => undefined);
      const connection = await open({ target: server.url }, { limits: { postMs: 20 } });
      await connection.send({ method: 'notifications/progress', params: {} });
      await eventually(() => expect(server.open).to.equal(0));
      expect(connection.told.join()).to.contain('could not be delivered');
    });

    it('stops reading from the server while its messages stay unread', async () => {
      let written = 0;
      const message = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(10_000) } })}\n\n`;
      const server = await serve((_request, response) => {
        stream(response);
        const fill = (): void => {
          while (written < 100_000_000 && !response.destroyed) {
            written += message.length;
            if (!response.write(message)) {
              response.once('drain', fill);
              return;
            }
          }
        };
        fill();
      });
      const connection = await open({ target: server.url }, {}, false);
      await connection.begin('prompts/list', { _meta: MODERN_META });
      let before = -1;
      await eventually(() => {
        const now = written;
        const isStill = now === before && now > 0;
        before = now;
        expect(isStill).to.equal(true);
      });
      // The unread data and the buffers of both sockets stay below this limit.
      expect(written).to.be.below(20_000_000);
      void connection.read();
      await eventually(() => expect(written).to.be.above(before));
    });
  });
});
