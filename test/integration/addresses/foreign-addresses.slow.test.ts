import { askServer, serveStdioClient } from '@portolan/mcp-client';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { DEFAULT_NEGOTIATED_PROTOCOL_VERSION } from '@modelcontextprotocol/client';
import { openFetch } from '@portolan/outbound';
import type { HttpBackend, ProxyMiddleware } from '@portolan/plugin-api';
import { createRecordingLogger, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { openServer } from '../../../packages/cli/src/mcp/open-server.ts';
import { endBackendSession } from '../../../packages/proxy/src/transparent/sessions/end-backend-session.ts';
import { type Handle, HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { Events, open, send } from '../../../packages/proxy/test/support/http-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { listForeignPaths, listForeignReferences } from '../../support/foreign-references.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  },
};
const GREETING = {
  protocolVersion: DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  capabilities: {},
  serverInfo: { name: 's', version: '1' },
};
const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
/** Settings that make the proxy respond to requests of the server itself. */
const REFUSING: ProxyMiddleware = {
  onResponse: (message) => (message.kind === 'request' ? { refuse: { message: 'No.' } } : undefined),
};

const WAYS = [
  { title: 'without policies', judged: false, isRemote: false },
  { title: 'with policies', judged: true, isRemote: false },
  { title: 'of a remote, without policies', judged: false, isRemote: true },
  { title: 'of a remote, with policies', judged: true, isRemote: true },
] as const;
type Way = (typeof WAYS)[number];

describe('addresses of another host, written by a server or a client', function () {
  this.timeout(60_000);
  const proxies = new Proxies();
  const servers: HttpBackendUnderTest[] = [];
  /** Host and port to which nothing may connect. */
  let catcher: HttpBackendUnderTest;

  beforeEach(async () => {
    catcher = await serve((_request, response) => response.end());
  });
  afterEach(async () => {
    await proxies.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function serve(handle: Handle): Promise<HttpBackendUnderTest> {
    const server = await HttpBackendUnderTest.start(handle);
    servers.push(server);
    return server;
  }

  const expectNoHits = (): void => {
    expect(catcher.received.map(({ method, url }) => `${method} ${url}`)).to.deep.equal([]);
  };

  async function openWay(transport: HttpBackend['transport'], target: URL, { judged, isRemote }: Way) {
    const forwardHeaders = [{ name: 'X-Key', value: 'secret of the workload' }];
    const middleware = [{ name: 'refusing', placed: 'validate' as const, instance: REFUSING }];
    return await proxies.open(
      { carries: 'http', transport, target, isRemote, forwardHeaders },
      judged ? { middleware } : {},
    );
  }

  /**
   * Starts an HTTP+SSE server with an `endpoint` event that a test sets. It sends its client a request on
   * each stream.
   */
  async function serveEvents() {
    let endpoint = '/messages?session_id=7';
    const streams = new Set<ServerResponse>();
    const server = await serve(({ method, body }, response) => {
      if (method === 'GET') {
        streams.add(response.writeHead(200, { 'Content-Type': 'text/event-stream' }));
        response.once('close', () => streams.delete(response));
        response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
        response.write('data: {"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}\n\n');
        return;
      }
      response.writeHead(202).end();
      const { id, method: asked } = JSON.parse(String(body));
      if (asked !== 'initialize') return;
      for (const stream of streams)
        stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: GREETING })}\n\n`);
    });
    const references = listForeignReferences({ elsewhere: catcher.url.host, own: server.url.origin });
    const announce = (next: string): void => void (endpoint = next);
    return { server, references, announce };
  }

  it('tests at least 60 spellings of foreign addresses', () => {
    const references = listForeignReferences({ elsewhere: '127.0.0.1:1', own: 'http://127.0.0.1:2' });
    expect(new Set(references).size).to.equal(references.length).greaterThan(59);
  });

  for (const way of WAYS) {
    describe(`proxy of HTTP+SSE, ${way.title}`, () => {
      it('gives clients no endpoint on another host, and sends no POST there', async () => {
        const { server, references, announce } = await serveEvents();
        const { url } = await openWay('sse', server.url, way);
        for (const reference of references) {
          announce(reference);
          const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
          await eventually(() =>
            expect(events.isBroken || events.isOver || events.all.length > 0).to.equal(true),
          );
          const endpoint = events.all.find(({ event }) => event === 'endpoint')?.data;
          if (endpoint !== undefined) {
            expect(endpoint, reference).to.match(/^\/(?![/\\])[^\\]*$/);
            const address = new URL(endpoint, url);
            expect(address.origin, reference).to.equal(url.origin);
            await send(address, { method: 'POST', headers: TYPE, body: JSON.stringify(INITIALIZE) });
          }
          events.leave();
        }
        expectNoHits();
      });

      it('sends the requests of health checks only to the server', async () => {
        const { server, references, announce } = await serveEvents();
        const { url } = await openWay('sse', server.url, way);
        const ask = async () => {
          const signal = AbortSignal.timeout(5000);
          return await askServer({ url, speaks: 'sse', endpointPrefix: '', version: '1', signal });
        };
        expect(await ask()).to.deep.equal({ outcome: 'answered' });
        for (const reference of references) {
          announce(reference);
          await ask();
        }
        expectNoHits();
      });
    });

    for (const transport of ['sse', 'streamable-http'] as const) {
      it(`${transport}, ${way.title} › follows no redirect to another host`, async () => {
        let location = '/';
        const server = await serve((_request, response) => {
          response.writeHead(307, { Location: location }).end();
        });
        const { url } = await openWay(transport, server.url, way);
        const references = listForeignReferences({ elsewhere: catcher.url.host, own: server.url.origin });
        for (const reference of references.filter((one) => /^[\t -~\u00a0-\u00ff]+$/.test(one))) {
          location = reference;
          const requests = [
            await send(url, { headers: { Accept: 'text/event-stream' } }),
            await send(url, { headers: { Accept: 'text/html' } }),
            await send(url, { method: 'POST', headers: TYPE, body: JSON.stringify(INITIALIZE) }),
          ];
          expect(
            requests.map(({ status }) => status),
            reference,
          ).to.deep.equal([502, 502, transport === 'sse' && way.judged ? 404 : 502]);
        }
        expectNoHits();
      });
    }

    it(`${way.title} › forwards requests of clients only to the server`, async () => {
      const server = await serve((_request, response) => {
        response.writeHead(200, { ...TYPE, 'Mcp-Session-Id': 's1' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: GREETING }));
      });
      const { url } = await openWay('streamable-http', server.url, way);
      for (const target of listForeignPaths(catcher.url.host)) {
        const body = JSON.stringify(INITIALIZE);
        const { status } = await send(url, { method: 'POST', headers: TYPE, body, target });
        expect(status, target).to.equal(404);
      }
      expect(server.received).to.deep.equal([]);
      const post = { method: 'POST', headers: TYPE, body: JSON.stringify(INITIALIZE) };
      expect((await send(url, post)).status).to.equal(200);
      expectNoHits();
    });
  }

  it('endBackendSession › sends DELETE only to the server', async () => {
    const server = await serve((_request, response) => response.end());
    const options = {
      target: server.url,
      agent: undefined,
      forwardHeaders: [],
      logger: createRecordingLogger(),
    };
    for (const path of listForeignPaths(catcher.url.host)) await endBackendSession(options, 's1', path);
    expect(server.received).to.deep.equal([]);
    await endBackendSession(options, 's1', '/mcp?key=1');
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).to.deep.equal(['DELETE /mcp?key=1']);
    expectNoHits();
  });

  it('askServer › connects to no other host when the endpoint event of the server names one', async () => {
    const { server, references, announce } = await serveEvents();
    for (const reference of references) {
      announce(reference);
      const signal = AbortSignal.timeout(5000);
      const asking = {
        url: server.url,
        speaks: 'sse',
        endpointPrefix: '/outside',
        version: '1',
        signal,
      } as const;
      await askServer(asking);
    }
    expectNoHits();
  });

  it('`proxy stdio` › sends its token to no other host', async () => {
    const { server, references, announce } = await serveEvents();
    for (const reference of references) {
      announce(reference);
      const [input, output] = [new PassThrough(), new PassThrough()];
      const target = {
        url: server.url,
        transport: 'sse' as const,
        endpointPrefix: '',
        headers: { Authorization: 'Bearer of the caller' },
      };
      const finished = serveStdioClient(
        {
          input,
          output,
          name: 'crew',
          findTarget: async () => target,
          tell: () => undefined,
          signal: new AbortController().signal,
          retryMs: 10,
          patienceMs: 100,
          graceMs: 10,
        },
        '1',
      );
      let told = '';
      output.on('data', (chunk: Buffer) => (told += String(chunk)));
      input.write(`${JSON.stringify(INITIALIZE)}\n`);
      await eventually(() => expect(told, reference).to.match(/"id":1\b/));
      input.end();
      await finished;
    }
    expectNoHits();
  });

  for (const transport of ['sse', 'streamable-http'] as const) {
    it(`\`portolan mcp\` › sends its headers to no other host: ${transport}`, async () => {
      const { server, references, announce } = await serveEvents();
      let location = '';
      const redirecting = await serve((_request, response) => {
        response.writeHead(307, { Location: location }).end();
      });
      const ask = async (url: URL): Promise<string> => {
        const headers = { Authorization: 'Bearer of the caller', 'X-Key': 'secret' };
        try {
          const opened = await openServer(
            { label: 'crew', url, transport, headers },
            {
              version: '1',
              timeoutMs: 5000,
              ca: undefined,
              observer: {
                progress: () => undefined,
                tell: () => undefined,
                tellsLogs: false,
                askForm: undefined,
              },
            },
            { openFetch, environment: {} },
            new AbortController().signal,
          );
          await opened.close();
          return 'opened';
        } catch (error) {
          return String(error);
        }
      };
      if (transport === 'sse') expect(await ask(server.url)).to.equal('opened');
      for (const reference of references) {
        announce(reference);
        if (transport === 'sse') await ask(server.url);
        location = /^[\t -~\u00a0-\u00ff]+$/.test(reference) ? reference : `//${catcher.url.host}/`;
        await ask(redirecting.url);
      }
      expectNoHits();
    });
  }
});
