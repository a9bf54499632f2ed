import { askServer } from '@portolan/mcp-client';
import type { HttpBackend } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest, type Received } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';

const POLICIES: readonly { readonly title: string; readonly options: TestProxyOptions }[] = [
  { title: 'without policies', options: {} },
  {
    title: 'with policies',
    options: {
      middleware: [{ name: 'judges', placed: 'validate', instance: { onResponse: () => undefined } }],
    },
  },
];

describe('server with a custom endpoint path', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(
    { transport, endpoint }: Required<Pick<HttpBackend, 'transport' | 'endpoint'>>,
    options: TestProxyOptions,
  ) {
    const backend = await HttpBackendUnderTest.start((request, response) => {
      if (request.url !== endpoint && request.url !== '/messages') response.writeHead(404).end();
      else if (request.method === 'POST') respond(request);
      else {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('event: endpoint\ndata: /messages\n\n');
        events = (text) => response.write(`event: message\ndata: ${text}\n\n`);
      }
      function respond({ body }: Received): void {
        const { id } = JSON.parse(body.toString());
        const text = JSON.stringify({ jsonrpc: '2.0', id, result: {} });
        if (transport === 'sse') response.writeHead(202).end(() => events?.(text));
        else response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
      }
    });
    let events: ((text: string) => void) | undefined;
    backends.push(backend);
    const { url } = await proxies.open(
      { carries: 'http', transport, target: backend.url, isRemote: false, endpoint },
      { limits: { health: { intervalMs: 5, pingMs: 1000, retryMs: 5, failures: 5 } }, ...options },
    );
    return { url, backend };
  }

  for (const { title, options } of POLICIES) {
    for (const endpoint of ['/semantic_layer/mcp', '/', '/mcp/', '/tools?profile=all']) {
      it(`gets requests and health checks at ${endpoint} ${title} (official registry 741)`, async () => {
        const { url, backend } = await open({ transport: 'streamable-http', endpoint }, options);
        expect(url.pathname).to.equal(endpoint.split('?')[0]);
        const { signal } = new AbortController();
        const asked = await askServer({
          url,
          speaks: 'streamable-http',
          endpointPrefix: '',
          version: '1',
          signal,
        });
        expect(asked).to.deep.equal({ outcome: 'answered' });
        expect((await new ModernClient(url).post({ method: 'tools/list' })).status).to.equal(200);
        const isPing = ({ method, body }: Received): boolean =>
          method === 'GET' || /discover|"ping"/.test(body.toString());
        await eventually(() => expect(backend.received.some(isPing)).to.equal(true));
        expect(new Set(backend.received.map(({ url: path }) => path))).to.deep.equal(new Set([endpoint]));
      });
    }

    it(`serves HTTP+SSE at /mcp/sse ${title} (official registry 523)`, async () => {
      const { url, backend } = await open({ transport: 'sse', endpoint: '/mcp/sse' }, options);
      expect(url.pathname).to.equal('/mcp/sse');
      const { signal } = new AbortController();
      const asked = await askServer({ url, speaks: 'sse', endpointPrefix: '', version: '1', signal });
      expect(asked).to.deep.equal({ outcome: 'answered' });
      expect(backend.received.map(({ url: path }) => path)).to.include.members(['/mcp/sse', '/messages']);
    });

    it(`gets no event stream opened by health checks ${title}`, async () => {
      const { url, backend } = await open({ transport: 'sse', endpoint: '/mcp/sse' }, options);
      const { signal } = new AbortController();
      await askServer({ url, speaks: 'sse', endpointPrefix: '', version: '1', signal });
      await eventually(() => expect(backend.received.map(({ url: path }) => path)).to.include('/'));
      expect(backend.received.filter(({ url: path }) => path === '/mcp/sse')).to.have.length(1);
    });
  }

  it('does not reveal the path of a remote, which may contain a secret (official registry 614)', async () => {
    const backend = await HttpBackendUnderTest.start((_request, response) => response.writeHead(404).end());
    backends.push(backend);
    for (const [transport, pathname] of [
      ['streamable-http', '/mcp'],
      ['sse', '/sse'],
    ] as const) {
      const target = new URL('/s/hunter2/mcp?k=1', backend.url);
      const remote = { carries: 'http', transport, target, isRemote: true, hidesPath: true } as const;
      const { url } = await proxies.open(remote);
      expect(url.pathname).to.equal(pathname);
      await send(url, { method: 'POST', body: '{}' });
      expect(backend.received.at(-1)?.url).to.equal('/s/hunter2/mcp?k=1');
      expect((await send(url, { target: '//x/y' })).text).not.to.include('hunter2');
    }
  });

  it('forwards a request of another path to that path of the server', async () => {
    const { url, backend } = await open({ transport: 'streamable-http', endpoint: '/tools/mcp' }, {});
    expect((await send(new URL('/mcp', url))).status).to.equal(404);
    expect(backend.received.map(({ url: path }) => path)).to.deep.equal(['/mcp']);
  });
});
