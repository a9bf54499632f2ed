import { eventually } from '@portolan/plugin-testing';
import type { ClientMessage, ProxyMiddleware, ServerVerdict } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { type SentMessage, type ScriptedServer, ScriptedServers } from '../support/scripted-server.ts';
import { answerOf, speak, speakHttp } from '../support/spoken-to.ts';

const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const TOLD = { method: 'notifications/message', params: { level: 'info', data: 'after the answer' } };

const call = (name: string, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** Middleware that delays its verdict on responses to `slow` and `denied` until the test releases it. */
class SlowJudge {
  readonly waiting: (() => void)[] = [];

  readonly instance: ProxyMiddleware = {
    onResponse: (message, exchange) => {
      const name = exchange.message?.kind === 'request' ? exchange.message.params?.['name'] : undefined;
      if (message.kind !== 'response' || (name !== 'slow' && name !== 'denied')) return undefined;
      return new Promise<ServerVerdict>((resolve) => {
        this.waiting.push(() => resolve(name === 'slow' ? CHANGE : REFUSAL));
      });
    },
  };

  async release(): Promise<void> {
    await eventually(() => expect(this.waiting).not.to.deep.equal([]));
    for (const go of this.waiting.splice(0)) go();
  }
}

const CHANGE: ServerVerdict = { change: [{ path: ['result', 'judged'], json: '1.0' }] };
const REFUSAL: ServerVerdict = { refuse: { message: 'Not for you.', data: { denial: 'd-2' } } };

describe('asynchronous verdict of a policy on a response', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  let judge = new SlowJudge();
  beforeEach(() => {
    judge = new SlowJudge();
  });
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const placed = () => [{ name: 'slow', placed: 'authorize' as const, instance: judge.instance }];

  async function openStdio(
    mode: 'streamable-http' | 'sse',
    sessions: 'own' | 'shared',
    received: (message: SentMessage, server: ScriptedServer) => void = speak,
  ) {
    const servers = new ScriptedServers({ received });
    const backend = servers.backend({ mode, sessions });
    return { ...(await proxies.open(backend, { middleware: placed() })), servers };
  }

  async function openHttp(transport: 'streamable-http' | 'sse', handle: Handle) {
    const backend = await HttpBackendUnderTest.start(handle);
    backends.push(backend);
    return proxies.open(
      { carries: 'http', transport, target: backend.url, isRemote: false },
      { middleware: placed() },
    );
  }

  /** Responds with JSON, or for `slow` with a stream that continues after the response. */
  const speakBoth: Handle = (request, response) => {
    const message = JSON.parse(request.body.toString() || '{}') as SentMessage;
    if (message.params?.name !== 'slow' || !request.headers.accept?.startsWith('text/event-stream')) {
      speakHttp(request, response);
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const said of [answerOf(message), TOLD]) {
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`);
    }
    response.end();
  };

  const before = [
    {
      title: 'a stdio server with a process for each session',
      open: () => openStdio('streamable-http', 'own'),
    },
    { title: 'a shared stdio server', open: () => openStdio('streamable-http', 'shared') },
    { title: 'an HTTP server', open: () => openHttp('streamable-http', speakBoth) },
  ];
  for (const { title, open } of before) {
    describe(`with ${title}`, () => {
      for (const accept of ['application/json', 'text/event-stream']) {
        it(`delays the response, and applies to it (${accept})`, async () => {
          const { url } = await open();
          const client = await McpClient.connect(url);
          const pending = client.post(call('slow'), { accept });
          await eventually(() => expect(judge.waiting).to.have.length(1));
          // Other calls do not wait for the pending verdict.
          expect((await client.post(call('plain', 2))).json.id).to.equal(2);
          await judge.release();
          const { status, text } = await pending;
          expect([status, text.includes('"judged":1.0')], text).to.deep.equal([200, true]);
        });
      }

      it('sends its refusal instead of the response', async () => {
        const { url } = await open();
        const client = await McpClient.connect(url);
        const pending = client.post(call('denied', 'x'), { accept: 'application/json' });
        await judge.release();
        const answer = await pending;
        expect([answer.status, answer.json]).to.deep.equal([
          200,
          {
            jsonrpc: '2.0',
            id: 'x',
            error: { code: 403, message: 'Not for you.', data: { denial: 'd-2' } },
          },
        ]);
      });

      it('completes a batch together with its other responses', async () => {
        const { url } = await open();
        const client = await McpClient.connect(url, { version: '2025-03-26' });
        const batch = [call('slow', 1), call('denied', 2), call('plain', 3)];
        const pending = client.post(JSON.stringify(batch), { accept: 'application/json' });
        await eventually(() => expect(judge.waiting).to.have.length(2));
        await judge.release();
        const byId = new Map((await pending).json.map((one: { id: unknown }) => [one.id, one]));
        expect(byId.get(1)).to.have.nested.property('result.judged', 1);
        expect(byId.get(2)).to.have.nested.property('error.data.denial', 'd-2');
        expect(byId.get(3)).to.have.nested.property('result.isError', false);
      });

      it('is ignored when the client has disconnected', async () => {
        const { url } = await open();
        const client = await McpClient.connect(url);
        const events = await client
          .stream(call('slow'), { accept: 'text/event-stream' })
          .catch(() => undefined);
        events?.leave();
        await judge.release();
        expect((await client.post(call('plain', 2))).status).to.equal(200);
      });
    });
  }

  it('delays the response to a client without a handshake', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const { url } = await openStdio('streamable-http', 'shared', (message, server) => {
      if (message.method !== 'server/discover') speak(message, server);
      else server.say({ id: message.id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } });
    });
    for (const [name, judged] of [
      ['slow', [200, true]],
      ['denied', [200, false]],
    ] as const) {
      const { params, ...rest } = call(name);
      const pending = send(url, {
        method: 'POST',
        headers: {
          ...TYPE,
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': 'tools/call',
          'Mcp-Name': name,
        },
        body: JSON.stringify({ ...rest, params: { ...params, _meta: meta } }),
      });
      await judge.release();
      const { status, text } = await pending;
      expect([status, text.includes('"judged":1.0')], text).to.deep.equal(judged);
    }
  });

  it('delays later messages on an event stream of the server', async () => {
    const { url } = await openHttp('streamable-http', speakBoth);
    const client = await McpClient.connect(url);
    const events = await client.stream(call('slow'), { accept: 'text/event-stream' });
    await judge.release();
    await events.over();
    expect(events.messages.map(({ id, method }) => id ?? method)).to.deep.equal([1, TOLD.method]);
  });

  it('delays later messages on the event stream of a batch', async () => {
    const held: SentMessage[] = [];
    const { url } = await openStdio('streamable-http', 'own', (message, server) => {
      if (message.params?.name === 'slow') {
        server.say(answerOf(message));
        server.say(TOLD);
        for (const waited of held.splice(0)) server.say(answerOf(waited));
      } else if (message.params?.name === 'later') held.push(message);
      else speak(message, server);
    });
    const client = await McpClient.connect(url, { version: '2025-03-26' });
    const batch = JSON.stringify([call('later', 2), call('slow', 1)]);
    const pending = client.post(batch, { accept: 'text/event-stream' });
    await judge.release();
    const { text } = await pending;
    const order = [text.indexOf('"judged"'), text.indexOf(TOLD.method), text.indexOf('"id":2')];
    expect(order, text).to.deep.equal(order.toSorted((left, right) => left - right));
    expect(order).not.to.include(-1);
  });

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
      const message = JSON.parse(body.toString()) as SentMessage;
      if (message.method !== 'tools/call') return;
      for (const said of message.params?.name === 'slow' ? [answerOf(message), TOLD] : [answerOf(message)]) {
        stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...said })}\n\n`);
      }
    };
  }
  const streams = [
    { title: 'an HTTP+SSE server', open: () => openHttp('sse', overEvents()) },
    {
      title: 'a stdio server',
      open: () =>
        openStdio('sse', 'own', (message, server) => {
          speak(message, server);
          if (message.params?.name === 'slow') server.say(TOLD);
        }),
    },
  ];
  for (const { title, open } of streams) {
    it(`keeps the order of messages on the stream of HTTP+SSE with ${title}`, async () => {
      const { url, origin } = await open();
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      const endpoint = await eventually(() => {
        const found = events.all.find(({ event }) => event === 'endpoint');
        expect(found).not.to.equal(undefined);
        return new URL(found?.data ?? '', origin);
      });
      const post = (message: object) =>
        send(endpoint, {
          method: 'POST',
          headers: TYPE,
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
      await post(initialize('2024-11-05'));
      await post(call('slow', 1));
      await eventually(() => expect(judge.waiting).to.have.length(1));
      await post(call('plain', 2));
      await judge.release();
      await events.got(({ id }) => id === 2);
      const told = events.messages.map(({ id, method }) => id ?? method).filter((one) => one !== 'init');
      expect(told).to.deep.equal([1, TOLD.method, 2]);
      events.leave();
    });
  }

  it('refuses the response when it fails or must not be asynchronous', async () => {
    const fails: ProxyMiddleware = {
      onResponse: async (message: ClientMessage) => {
        if (message.kind === 'response' && !message.text.includes('"content"')) return undefined;
        throw new Error('the decision point is away');
      },
    };
    const servers = new ScriptedServers({ received: speak });
    const { url, logger } = await proxies.open(servers.backend(), {
      middleware: [{ name: 'failing', placed: 'filter', instance: fails }],
    });
    const client = await McpClient.connect(url);
    // The middleware fails on the notification too, so no stream is open when it refuses the response.
    const answer = await client.post(call('told'), { accept: 'text/event-stream' });
    expect([answer.status, answer.json.error.code]).to.deep.equal([200, -32603]);
    expect(answer.text).not.to.include('decision point').and.not.to.include('secret word');
    expect(logger.lines.map(({ message }) => message)).to.include('proxy middleware failed');
  });
});
