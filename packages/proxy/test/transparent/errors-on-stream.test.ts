import type { ServerResponse } from 'node:http';
import type { HttpBackend, ProxyMiddleware } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Handle, HttpBackendUnderTest } from '../support/http-backend.ts';
import { Events, open as openRequest, send } from '../support/http-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { tokenProvider } from '../support/token-provider.ts';

const TYPE = { 'Content-Type': 'application/json' };
const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}';
const TOLD = '{"jsonrpc":"2.0","method":"notifications/x"}';
const DISCOVER = JSON.stringify({
  jsonrpc: '2.0',
  id: 7,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

describe('errors for requests to an HTTP+SSE server (world F3, F4, F7)', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  /**
   * Opens a proxy of an HTTP+SSE server whose sessions have the endpoint /messages?session_id=N; `posted`
   * handles the POSTs.
   */
  async function open(
    posted: Handle,
    more: Partial<HttpBackend> = {},
    middleware?: ProxyMiddleware,
    endpoint = (at: number) => `/messages?session_id=${at}`,
  ) {
    const streams: ServerResponse[] = [];
    const backend = await HttpBackendUnderTest.start((request, response) => {
      if (request.method !== 'GET') return posted(request, response);
      streams.push(response.writeHead(200, { 'Content-Type': 'text/event-stream' }));
      response.write(`event: endpoint\r\ndata: ${endpoint(streams.length)}\r\n\r\n`);
    });
    backends.push(backend);
    const { url, origin } = await proxies.open(
      { carries: 'http', transport: 'sse', target: new URL('/sse', backend.url), isRemote: false, ...more },
      {
        authProvider: tokenProvider({
          ada: { subject: 'ada', claims: {} },
          bob: { subject: 'bob', claims: {} },
        }),
        ...(middleware && { middleware: [{ name: 'm', placed: 'validate', instance: middleware }] }),
      },
    );
    const listen = async (caller = 'ada') => {
      const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${caller}` };
      const events = new Events(await openRequest(url, { headers }));
      const found = await eventually(() => {
        const first = events.all.find(({ event }) => event === 'endpoint');
        if (first === undefined) throw new Error('no endpoint yet');
        return new URL(first.data, origin);
      });
      const post = (body: string, as = caller) =>
        send(found, { method: 'POST', headers: { ...TYPE, Authorization: `Bearer ${as}` }, body });
      return { events, post };
    };
    return { backend, streams, listen };
  }

  const breaksOff: Handle = (_request, response) => void response.destroy();
  const accepts: Handle = (_request, response) => void response.writeHead(202).end('Accepted');
  const watches: ProxyMiddleware = { onResponse: () => undefined };

  for (const middleware of [undefined, watches]) {
    const where = middleware === undefined ? 'without a policy' : 'with a policy';
    it(`become events when the server disconnects, ${where}`, async () => {
      const { listen } = await open(breaksOff, {}, middleware);
      const { events, post } = await listen();
      const { status, text } = await post(CALL);
      expect([status, text]).to.deep.equal([202, 'Accepted']);
      expect((await events.got(({ id }) => id === 7)).error.code).to.equal(-32603);
      expect(events.all.at(-1)).to.include({ event: 'message' });
      events.leave();
    });

    it(`become events when the workload has no credentials, and notifications are dropped, ${where}`, async () => {
      const over = Object.assign(new Error('Log in again: portolan login wiki'), {
        status: 401,
        expose: true,
      });
      const credentials = {
        credentials: ({ method }: { readonly method: string }) => {
          if (method === 'GET') return [];
          throw over;
        },
      };
      const { listen, backend } = await open(accepts, { credentials, isRemote: true }, middleware);
      const { events, post } = await listen();
      expect((await post(CALL)).status).to.equal(202);
      expect((await events.got(({ id }) => id === 7)).error).to.deep.equal({
        code: 403,
        message: over.message,
      });
      expect((await post(TOLD)).status).to.equal(202);
      expect(backend.received.filter(({ method }) => method === 'POST')).to.deep.equal([]);
      events.leave();
    });
  }

  it('have the code `-32601` for newer revisions with a policy, so that clients use initialize', async () => {
    const { listen, backend } = await open(accepts, {}, watches);
    const { events, post } = await listen();
    expect((await post(DISCOVER)).status).to.equal(202);
    const { error } = await events.got(({ id }) => id === 7);
    expect(error.code).to.equal(-32601);
    expect(error.message).to.include('streamable HTTP');
    expect(backend.received.filter(({ method }) => method === 'POST')).to.deep.equal([]);
    events.leave();
  });

  it('reach no other caller and no other session', async () => {
    const { listen } = await open(breaksOff);
    const [ada, bob] = [await listen('ada'), await listen('bob')];
    expect((await ada.post(CALL, 'bob')).status).to.equal(404);
    expect((await bob.post(CALL)).status).to.equal(202);
    await bob.events.got(({ id }) => id === 7);
    expect(ada.events.messages).to.deep.equal([]);
    for (const { events } of [ada, bob]) events.leave();
  });

  it('stay HTTP errors when several clients share one endpoint', async () => {
    const { listen } = await open(breaksOff, {}, undefined, () => '/messages');
    const clients = [await listen(), await listen()];
    expect((await clients[0]?.post(CALL))?.status).to.equal(502);
    clients[1]?.events.leave();
    await eventually(async () => expect((await clients[0]?.post(CALL))?.status).to.equal(202));
    clients[0]?.events.leave();
  });

  it('are sent between two events of the server, never inside one', async () => {
    const { listen, streams } = await open(
      breaksOff,
      {},
      { onMessage: () => ({ refuse: { message: 'no' } }) },
    );
    const { events, post } = await listen();
    const said = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"whole"}}';
    // The event comes in three pieces. After each, the server refuses a request.
    for (const [at, piece] of [`event: message\r\ndata: `, `${said}\r\n\r`, '\n'].entries()) {
      streams[0]?.write(piece);
      expect((await post(CALL.replace('7', String(at)))).status).to.equal(202);
      expect((await events.got(({ id }) => id === at)).error.message).to.equal('no');
    }
    expect((await events.got(({ method }) => method === 'notifications/message')).params.data).to.equal(
      'whole',
    );
    expect(events.messages.filter(({ error }) => error !== undefined)).to.have.length(3);
    events.leave();
  });
});
