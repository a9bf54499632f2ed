import type { ProxyMiddleware } from '@portolan/plugin-api';
import { createRecordingLogger, createTestProxyContext, eventually } from '@portolan/plugin-testing';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { ModernClient } from '../../../packages/proxy/test/support/modern-client.ts';
import { modernScript } from '../../../packages/proxy/test/support/modern-script.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { type Script, ScriptedServers } from '../../../packages/proxy/test/support/scripted-server.ts';
import { speak, speakHttp } from '../../../packages/proxy/test/support/spoken-to.ts';
import {
  type ProxyTelemetryConfig,
  proxyTelemetry,
  traceContext,
} from '../../../plugins/telemetry-otlp/src/index.ts';
import type { DecodedSpan } from '../../support/otlp/decode-otlp.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/otlp/otlp-collector.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SENDER = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${SENDER}-01`;

const DEFAULTS: ProxyTelemetryConfig = {
  endpoint: '',
  serviceName: '',
  serviceVersion: '',
  tracingEnabled: true,
  metricsEnabled: true,
  samplingRate: 1,
  headers: {},
  insecure: true,
  enablePrometheusMetricsPath: false,
  prometheusPort: 0,
  metricsOnTransportPort: true,
  environmentVariables: [],
  customAttributes: {},
  useLegacyAttributes: true,
};

const call = (name: string, more: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { city: 'Oslo', api_key: 'hunter2' }, ...more },
});

describe('telemetry of the proxy', () => {
  const proxies = new Proxies();
  let collector: OtlpCollector;
  let backends: HttpBackendUnderTest[];
  beforeEach(async () => {
    collector = await startOtlpCollector();
    backends = [];
  });
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.map((backend) => backend.close()));
    await collector.close();
  });

  async function middleware(
    transport: string,
    settings: Partial<ProxyTelemetryConfig> = {},
  ): Promise<PlacedProxyMiddleware[]> {
    const workload = {
      name: 'weather',
      server: 'io.example/weather',
      transport,
      isRemote: false,
      trustsProxyHeaders: false,
      directory: '/nowhere',
    };
    const context = createTestProxyContext({ workload, version: '9.9.9', environment: { REGION: 'north' } });
    const config = { ...DEFAULTS, endpoint: collector.address, ...settings };
    const denies: ProxyMiddleware = {
      onMessage: (message) =>
        message.kind === 'request' && message.params?.['name'] === 'forbidden'
          ? { refuse: { message: 'No.' } }
          : undefined,
    };
    return [
      { name: 'telemetry', placed: 'observe', instance: await proxyTelemetry.create(config, context) },
      { name: 'trace-context', placed: 'mutate', instance: await traceContext.create({}, context) },
      { name: 'denies', placed: 'authorize', instance: denies },
    ];
  }

  interface Opened {
    readonly url: URL;
    readonly placed: readonly PlacedProxyMiddleware[];
    /** Last request to the server, as text, with its headers. */
    readonly last: () => { readonly text: string; readonly headers: Readonly<Record<string, unknown>> };
  }

  async function openStdio(
    settings: Partial<ProxyTelemetryConfig> = {},
    script: Script = { received: speak },
    mode: 'streamable-http' | 'sse' = 'streamable-http',
  ): Promise<Opened> {
    const servers = new ScriptedServers(script);
    const backend = servers.backend({ mode });
    const placed = await middleware('stdio', settings);
    const { url } = await proxies.open(backend, { middleware: placed });
    const sent = (): readonly string[] =>
      servers.all.flatMap((server) => server.sent.map(({ text }) => text));
    return {
      url,
      placed,
      last: () => ({ text: sent().findLast((text) => text.includes('tools/call')) ?? '', headers: {} }),
    };
  }

  async function openHttp(settings: Partial<ProxyTelemetryConfig> = {}): Promise<Opened> {
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    const placed = await middleware('streamable-http', settings);
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      { middleware: placed },
    );
    return {
      url,
      placed,
      last: () => {
        const found = backend.received.findLast(({ body }) => body.includes('tools/call'));
        return { text: found?.body.toString() ?? '', headers: found?.headers ?? {} };
      },
    };
  }

  /** Stops the proxy, so that all spans are sent, and returns them. */
  async function spansOf({ placed }: Opened): Promise<readonly DecodedSpan[]> {
    for (const { instance } of placed) await instance.close?.();
    expect(collector.faults).to.deep.equal([]);
    return collector.spans;
  }

  const named = (spans: readonly DecodedSpan[], name: string): DecodedSpan => {
    const [found, ...more] = spans.filter((span) => span.name === name);
    if (found === undefined || more.length > 0) {
      throw new Error(
        `${more.length + (found ? 1 : 0)} of ${name} among ${spans.map((span) => span.name).join(', ')}`,
      );
    }
    return found;
  };

  for (const [title, open] of [
    [
      'stdio',
      () => openStdio({ environmentVariables: ['REGION', 'UNSET'], customAttributes: { team: 'a' } }),
    ],
    ['HTTP', () => openHttp({ environmentVariables: ['REGION', 'UNSET'], customAttributes: { team: 'a' } })],
  ] as const) {
    describe(`in front of a server that speaks ${title}`, () => {
      it('sends a span for a call, with old and new attribute names', async () => {
        const opened = await open();
        const client = await McpClient.connect(opened.url);
        await client.post(call('plain'), {
          headers: { 'User-Agent': 'tester/1' },
          accept: 'application/json',
        });
        const span = named(await spansOf(opened), 'tools/call plain');
        expect(span).to.include({ kind: 'server', failed: false, parentSpanId: undefined });
        expect(span.text).to.include('"code":1');
        const isStdio = title === 'stdio';
        expect(span.attributes).to.include({
          'http.request.method': 'POST',
          'url.scheme': 'http',
          'url.path': opened.url.pathname,
          'url.full': opened.url.href,
          'server.address': opened.url.host,
          'user_agent.original': 'tester/1',
          'http.response.status_code': 200,
          'mcp.method.name': 'tools/call',
          'rpc.system.name': 'jsonrpc',
          'jsonrpc.request.id': '1',
          'jsonrpc.protocol.version': '2.0',
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'plain',
          'gen_ai.tool.call.arguments': 'city=Oslo, api_key=[REDACTED]',
          'network.transport': isStdio ? 'pipe' : 'tcp',
          'network.protocol.name': 'http',
          'mcp.server.name': 'io.example/weather',
          'mcp.client.name': 'test',
          'mcp.protocol.version': '2025-06-18',
          'mcp.session.id': client.session,
          'client.address': '127.0.0.1',
          'environment.REGION': 'north',
          'environment.UNSET': '',
          'http.method': 'POST',
          'http.url': opened.url.href,
          'http.host': opened.url.host,
          'http.target': opened.url.pathname,
          'http.user_agent': 'tester/1',
          'http.status_code': 200,
          'mcp.method': 'tools/call',
          'rpc.system': 'jsonrpc',
          'rpc.service': 'mcp',
          'mcp.request.id': '1',
          'mcp.resource.id': 'plain',
          'mcp.tool.name': 'plain',
          'mcp.tool.arguments': 'city=Oslo, api_key=[REDACTED]',
          'mcp.transport': isStdio ? 'stdio' : 'streamable-http',
        });
        const sizes = ['http.request.body.size', 'http.response.body.size', 'http.response_content_length'];
        for (const name of [...sizes, 'http.duration_ms', 'client.port']) {
          expect(span.attributes[name], name).to.be.greaterThan(0);
        }
        expect(span.attributes['http.request_content_length']).to.match(/^\d+$/);
        expect(span.resource).to.include({
          'service.name': 'portolan-weather',
          'service.version': '9.9.9',
          team: 'a',
        });
        expect(
          JSON.stringify(collector.spans, (_key, value) => (typeof value === 'bigint' ? '' : value)),
        ).not.to.include('hunter2');
      });

      it('continues the trace of _meta, else that of the headers, and passes it to the server', async () => {
        const opened = await open();
        const client = await McpClient.connect(opened.url);
        const headers = { traceparent: TRACEPARENT };
        await client.post(call('one'), { headers });
        const first = opened.last();
        const other = {
          traceparent: `00-${TRACE.replace('0', '1')}-${SENDER}-01`,
          tracestate: 'v=1',
          mine: 1,
        };
        await client.post(call('two', { _meta: other }, 2), { headers });
        const second = opened.last();
        const spans = await spansOf(opened);
        const [one, two] = [named(spans, 'tools/call one'), named(spans, 'tools/call two')];
        expect(one).to.include({ traceId: TRACE, parentSpanId: SENDER });
        expect(two).to.include({ traceId: TRACE.replace('0', '1'), parentSpanId: SENDER });
        const told = `00-${two.traceId}-${two.spanId}-01`;
        const meta = JSON.parse(second.text).params['_meta'];
        expect(meta).to.deep.equal({ traceparent: told, tracestate: 'v=1', mine: 1 });
        if (title === 'HTTP') {
          expect(first.headers['traceparent']).to.equal(`00-${TRACE}-${one.spanId}-01`);
          expect(JSON.parse(first.text).params).not.to.have.property('_meta');
          expect(second.headers).to.include({ traceparent: told, tracestate: 'v=1' });
        } else {
          expect(JSON.parse(first.text).params['_meta']).to.deep.equal({
            traceparent: `00-${TRACE}-${one.spanId}-01`,
          });
        }
      });

      it('records refused requests and the middleware that refused them', async () => {
        const opened = await open();
        const client = await McpClient.connect(opened.url);
        await client.post(call('forbidden'));
        await send(opened.url, { method: 'POST', body: '{}', headers: { Origin: 'https://evil.example' } });
        const spans = await spansOf(opened);
        expect(named(spans, 'tools/call forbidden').attributes).to.include({
          'http.response.status_code': 200,
        });
        // The status is neither OK nor an error of the server.
        expect(named(spans, 'tools/call forbidden').text).not.to.match(/"code":[12]/);
        expect(named(spans, 'POST /mcp').attributes ?? {}).to.include({ 'http.response.status_code': 403 });
      });

      it('sends a short span when a stream opens, and none when it ends', async () => {
        const opened = await open();
        const client = await McpClient.connect(opened.url);
        const standing = await client.listen();
        await eventually(() => expect(standing.response.statusCode).to.equal(200));
        standing.leave();
        const spans = await spansOf(opened);
        const span = named(spans, 'sse.connection_established');
        expect(span.attributes).to.include({
          'sse.event_type': 'connection_established',
          'http.request.method': 'GET',
        });
        expect(spans.filter(({ attributes }) => attributes['http.request.method'] === 'GET')).to.have.length(
          1,
        );
      });

      it('sends only the new attribute names when the old ones are off', async () => {
        const opened =
          title === 'stdio'
            ? await openStdio({ useLegacyAttributes: false })
            : await openHttp({ useLegacyAttributes: false });
        await (await McpClient.connect(opened.url)).post(call('plain'));
        const { attributes } = named(await spansOf(opened), 'tools/call plain');
        expect(attributes).to.include({ 'gen_ai.tool.name': 'plain' });
        expect(Object.keys(attributes)).not.to.include.members(['http.method']);
        for (const name of ['http.method', 'mcp.method', 'rpc.system', 'mcp.tool.name', 'mcp.transport']) {
          expect(attributes).not.to.have.property(name);
        }
      });

      it('sends metrics, which /metrics also shows', async () => {
        const settings = { enablePrometheusMetricsPath: true, tracingEnabled: false };
        const opened = title === 'stdio' ? await openStdio(settings) : await openHttp(settings);
        const client = await McpClient.connect(opened.url);
        await client.post(call('plain'));
        await client.post(call('forbidden', {}, 2));
        await eventually(async () => {
          const { text, headers, status } = await send(new URL('/metrics', opened.url));
          expect(status).to.equal(200);
          expect(headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8');
          const labels = (name: string, code: number, outcome: string) =>
            `{method="POST",status_code="${code}",status="${outcome}",mcp_method="tools/call",mcp_resource_id="${name}",server="io.example/weather",transport="${title === 'stdio' ? 'stdio' : 'streamable-http'}"}`;
          expect(text).to.include(`portolan_mcp_requests_total${labels('plain', 200, 'success')} 1\n`);
          expect(text).to.include(`portolan_mcp_requests_total${labels('forbidden', 200, 'error')} 1\n`);
          expect(text).to.include('# TYPE portolan_mcp_request_duration_seconds histogram');
          expect(text).to.include(
            'portolan_mcp_tool_calls_total{server="io.example/weather",tool="plain",status="success"} 1',
          );
          expect(text).to.match(
            /mcp_server_operation_duration_seconds_count\{mcp_method_name="tools\/call".*error_type="ERR_POLICY_REFUSED".*\} 1/,
          );
          expect(text).to.match(/portolan_mcp_active_connections\{[^}]*\} 0\n/);
        });
        expect(await spansOf(opened)).to.deep.equal([]);
        const requests = collector.metrics.find(({ name }) => name === 'portolan.mcp.requests');
        expect(requests?.kind).to.equal('counter');
        expect(requests?.points.map(({ attributes }) => attributes['mcp_method'])).to.include.members([
          'initialize',
          'tools/call',
        ]);
      });
    });
  }

  it('G01, G02: reads program, revision and trace of a client of 2026-07-28 from its request', async () => {
    const script = modernScript({ received: ({ id }, server) => server.say({ id, result: {} }) });
    const opened = await openStdio({}, script);
    const client = new ModernClient(opened.url);
    const meta = {
      traceparent: TRACEPARENT,
      'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '3' },
    };
    await client.post({ method: 'prompts/get', params: { name: 'hello' }, meta });
    const span = named(await spansOf(opened), 'prompts/get hello');
    expect(span).to.include({ traceId: TRACE, parentSpanId: SENDER });
    expect(span.attributes).to.include({
      'mcp.client.name': 'modern',
      'mcp.protocol.version': '2026-07-28',
      'gen_ai.prompt.name': 'hello',
      'mcp.prompt.name': 'hello',
    });
    expect(span.attributes).not.to.have.property('mcp.session.id');
  });

  it('samples a share of the calls, and passes the decision to the server', async () => {
    const opened = await openStdio({ samplingRate: 0 });
    const client = await McpClient.connect(opened.url);
    await client.post(call('quiet'));
    expect(JSON.parse(opened.last().text).params['_meta'].traceparent).to.match(/-00$/);
    await client.post(call('asked', {}, 2), { headers: { traceparent: TRACEPARENT } });
    expect((await spansOf(opened)).map(({ name }) => name)).to.deep.equal(['tools/call asked']);
  });

  it('sends a span for each message of a batch', async () => {
    const opened = await openStdio();
    const client = await McpClient.connect(opened.url, { version: '2025-03-26' });
    const batch = [
      call('a'),
      call('forbidden', {}, 2),
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    ];
    await client.post(JSON.stringify(batch));
    const names = (await spansOf(opened)).map(({ name }) => name);
    expect(names).to.include.members([
      'tools/call a',
      'tools/call forbidden',
      'notifications/roots/list_changed',
    ]);
  });

  it('does not delay callers or the stop when the collector is down or hangs, and logs it once', async () => {
    const logger = createRecordingLogger();
    collector.answer = () => 'hang';
    const context = createTestProxyContext({ logger });
    const instance = await proxyTelemetry.create({ ...DEFAULTS, endpoint: collector.address }, context);
    const servers = new ScriptedServers({ received: speak });
    const { url } = await proxies.open(servers.backend(), {
      middleware: [{ name: 'telemetry', placed: 'observe', instance }],
    });
    const client = await McpClient.connect(url);
    for (let id = 0; id < 200; id += 1)
      expect((await client.post(call('plain', {}, id))).status).to.equal(200);
    const begun = performance.now();
    await instance.close?.();
    expect(performance.now() - begun).to.be.lessThan(9000); // A single request has ten seconds.
    const told = logger.lines.filter(({ message }) => message.includes('cannot be exported'));
    expect(told.filter(({ message }) => message.startsWith('traces'))).to.have.length(1);
  });
});
