import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { type ProbeResult, type AskOptions, askServer } from '../src/ask-server.ts';

describe('askServer', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function ask(
    handle: RequestListener,
    speaks: AskOptions['speaks'] = 'streamable-http',
  ): Promise<ProbeResult> {
    const server = createServer(handle).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    const { signal } = new AbortController();
    return await askServer({ url, speaks, endpointPrefix: '', version: '1', signal });
  }

  const greets: RequestListener = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'one' });
    response.end('{"jsonrpc":"2.0","id":"portolan-ready","result":{}}');
  };
  const endings: readonly { title: string; end: RequestListener }[] = [
    { title: 'ends the session', end: (_request, response) => response.writeHead(204).end() },
    {
      title: 'does not know how to end the session',
      end: (_request, response) => response.writeHead(405).end(),
    },
    { title: 'breaks off when the session is ended', end: (request) => request.socket.destroy() },
    { title: 'never answers when the session is ended', end: () => undefined },
  ];
  for (const { title, end } of endings) {
    it(`returns the result \`answered\` for a server that ${title}`, async () => {
      const asked = await ask((request, response) =>
        request.method === 'DELETE' ? end(request, response) : greets(request, response),
      );
      expect(asked).to.deep.include({ outcome: 'answered' });
    });
  }

  describe('a server without POST at its address (hermes-agent 95187)', () => {
    for (const { title, status, event, speaks } of [
      { title: 'of HTTP+SSE', status: 405, event: 'endpoint', speaks: 'sse' },
      { title: 'of HTTP+SSE that does not know the address', status: 404, event: 'endpoint', speaks: 'sse' },
      { title: 'with another stream', status: 405, event: 'message', speaks: undefined },
      { title: 'that is overloaded', status: 503, event: 'endpoint', speaks: undefined },
    ]) {
      it(`returns ${speaks ?? 'no transport'} for a server ${title}`, async () => {
        const asked = await ask(({ method }, response) => {
          if (method !== 'GET') {
            response.writeHead(status).end();
            return;
          }
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.write(`event: ${event}\ndata: /messages?session_id=1\n\n`);
        });
        expect(asked).to.include({ outcome: 'nothing', why: `it responded with status ${status}` });
        expect('speaks' in asked ? asked.speaks : undefined).to.equal(speaks);
      });
    }

    it('returns no transport for a server without an event stream', async () => {
      const asked = await ask((_request, response) => void response.writeHead(405).end());
      expect(asked).to.not.have.property('speaks');
    });
  });

  describe('over an event stream', () => {
    /**
     * Asks an HTTP+SSE server that responds to the POST with this status and sends the data on the stream.
     */
    const askEvents = (status: number, data: string): Promise<ProbeResult> => {
      let stream: ServerResponse | undefined;
      return ask((request, response) => {
        if (request.method === 'POST') {
          response.writeHead(status).end(() => stream?.write(`event: message\ndata: ${data}\n\n`));
          return;
        }
        stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        stream.write('event: endpoint\ndata: /messages?session_id=1\n\n');
      }, 'sse');
    };

    it('returns `answered` for a result', async () => {
      const asked = await askEvents(202, '{"jsonrpc":"2.0","id":"portolan-ready","result":{}}');
      expect(asked).to.deep.equal({ outcome: 'answered' });
    });

    it('returns `answered` for a server that refuses the revision', async () => {
      const error = '{"jsonrpc":"2.0","id":"portolan-ready","error":{"code":-32602,"message":"revision"}}';
      expect(await askEvents(202, error)).to.deep.equal({ outcome: 'answered' });
    });

    it('returns nothing for a server that responds with an internal error', async () => {
      const error = '{"jsonrpc":"2.0","id":"portolan-ready","error":{"code":-32603,"message":"no key"}}';
      expect(await askEvents(202, error)).to.include({
        outcome: 'nothing',
        why: 'it responded with an error: no key',
      });
    });

    for (const [status, outcome] of [
      [503, 'nothing'],
      [401, 'refused'],
    ] as const) {
      it(`does not wait for a response on the stream when the POST gets status ${status}`, async () => {
        expect(await askEvents(status, ': nothing')).to.include({ outcome });
      });
    }
  });

  const refusal = (code: number, more = {}): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 'portolan-ready', error: { code, message: 'no', ...more } });
  for (const { title, status, body, outcome } of [
    {
      title: 'names other revisions (openwork PR #3569)',
      status: 400,
      body: refusal(-32602, { data: { supported: ['2025-06-18'] } }),
      outcome: 'answered',
    },
    { title: 'refuses the revision', status: 200, body: refusal(-32000), outcome: 'answered' },
    { title: 'has an internal error', status: 200, body: refusal(-32603), outcome: 'nothing' },
    { title: 'cannot reach its own server', status: 502, body: refusal(-32000), outcome: 'nothing' },
    { title: 'has nothing at the path', status: 404, body: refusal(-32601), outcome: 'nothing' },
    {
      title: 'responds to another id',
      status: 400,
      body: '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"x"}}',
      outcome: 'nothing',
    },
    {
      title: 'has an error without a code',
      status: 400,
      body: '{"jsonrpc":"2.0","id":null,"error":{}}',
      outcome: 'nothing',
    },
  ]) {
    it(`returns ${outcome} for a server that ${title} with ${status}`, async () => {
      const asked = await ask((_request, response) => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
      });
      expect(asked).to.include({ outcome });
    });
  }

  it('returns `refused` when the server requires credentials, and nothing when it fails', async () => {
    const answering = (status: number) => ask((_request, response) => response.writeHead(status).end());
    expect(await answering(401)).to.include({ outcome: 'refused' });
    expect(await answering(500)).to.deep.include({ outcome: 'nothing', why: 'it responded with status 500' });
    expect(await ask((request) => request.socket.destroy())).to.include({ outcome: 'nothing' });
  });
});
