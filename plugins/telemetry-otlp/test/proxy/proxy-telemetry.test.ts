import type { ClientRequest, RequestEnd } from '@portolan/plugin-api';
import { createTestProxyContext, proxyMiddlewareContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { startOtlpCollector } from '../../../../test/support/otlp/otlp-collector.ts';
import { type ProxyTelemetryConfig, proxyTelemetry, traceContext } from '../../src/index.ts';

const OFF: ProxyTelemetryConfig = {
  endpoint: '',
  serviceName: '',
  serviceVersion: '',
  tracingEnabled: true,
  metricsEnabled: true,
  samplingRate: 0.1,
  headers: {},
  insecure: false,
  enablePrometheusMetricsPath: true,
  prometheusPort: 0,
  metricsOnTransportPort: true,
  environmentVariables: [],
  customAttributes: {},
  useLegacyAttributes: true,
};
const REQUEST: ClientRequest = {
  method: 'POST',
  path: '/mcp',
  query: '',
  headers: {},
  remoteAddress: '192.0.2.10',
  receivedAt: new Date('2026-08-21T09:14:03.119Z'),
  caller: undefined,
  program: undefined,
};
const END: RequestEnd = {
  status: 200,
  refusedWith: undefined,
  durationMs: 1.5,
  responseBytes: 2,
  messages: [],
  refusals: [],
};
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}';

proxyMiddlewareContract({
  name: 'telemetry',
  kind: proxyTelemetry,
  blocks: [OFF, { ...OFF, endpoint: 'collector:4318', headers: { 'X-Key': 'K,target=k' } }],
  create: (context) => proxyTelemetry.create(OFF, context),
  judged: [{ from: 'client', text: CALL, becomes: 'passes' }],
});

proxyMiddlewareContract({
  name: 'trace-context, where nothing is traced',
  kind: traceContext,
  blocks: [{}],
  create: (context) => traceContext.create({}, context),
  judged: [{ from: 'client', text: CALL, becomes: 'passes' }],
});

describe('proxy telemetry', () => {
  const places = (settings: Partial<ProxyTelemetryConfig>) =>
    proxyTelemetry
      .check?.({ ...OFF, ...settings }, { directory: '/nowhere', trustsLoopback: false })
      .map(({ place }) => place);
  const table: readonly (readonly [settings: Partial<ProxyTelemetryConfig>, places: readonly string[]])[] = [
    [{}, []],
    [{ endpoint: 'ftp://x' }, ['endpoint']],
    [{ endpoint: 'https://x', insecure: true }, ['endpoint']],
    [{ endpoint: 'x:4318', tracingEnabled: false, metricsEnabled: false }, ['endpoint']],
    [{ endpoint: 'x:4318', caCertPath: 'none.pem' }, ['caCertPath']],
    [{ endpoint: 'x:4318', headers: { 'a b': 'c' } }, ['headers']],
    [{ customAttributes: { ' ': 'x' } }, ['customAttributes']],
  ];
  for (const [settings, expected] of table) {
    it(`${JSON.stringify(settings)}: ${expected.join(', ') || 'fine'}`, () => {
      expect(places(settings)).to.deep.equal(expected);
    });
  }

  it("serves /metrics if configured, on the transport's port", async () => {
    const pathsOf = async (settings: Partial<ProxyTelemetryConfig>) => {
      const { servedPaths = [] } = await proxyTelemetry.create(
        { ...OFF, ...settings },
        createTestProxyContext(),
      );
      return servedPaths.map(({ path }) => path);
    };
    expect(await pathsOf({})).to.deep.equal(['/metrics']);
    expect(await pathsOf({ metricsOnTransportPort: false })).to.deep.equal([]);
    expect(await pathsOf({ enablePrometheusMetricsPath: false })).to.deep.equal([]);
  });

  it('counts a request in /metrics as soon as it has ended', async () => {
    const middleware = await proxyTelemetry.create(OFF, createTestProxyContext());
    await middleware.onRequest?.(REQUEST);
    middleware.onEnd?.(END, REQUEST);
    const [metrics] = middleware.servedPaths ?? [];
    const { body } = (await metrics?.respond({ ...REQUEST, method: 'GET' })) ?? {};
    expect(body)
      .to.match(/^portolan_mcp_requests\S* 1$/m)
      .and.match(/^portolan_mcp_active_connections\S* 0$/m);
  });

  it('gives a span the duration of its request, independent of when it is reported', async () => {
    const collector = await startOtlpCollector();
    try {
      const settings = { ...OFF, endpoint: collector.address, insecure: true, samplingRate: 1 };
      const middleware = await proxyTelemetry.create(settings, createTestProxyContext());
      middleware.onEnd?.(END, REQUEST);
      await middleware.close?.();
      const [span] = collector.spans;
      expect(span).to.include({ name: 'POST /mcp' });
      expect(Number(span?.end) - Number(span?.start)).to.be.closeTo(1_500_000, 1000);
    } finally {
      await collector.close();
    }
  });
});
