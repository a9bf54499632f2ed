import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { DecodedSpan } from '../../support/otlp/decode-otlp.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/otlp/otlp-collector.ts';
import { inlineSource, RegistryUnderTest, serverDocument } from '../../support/registry-under-test.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { ENGINES, POSTGRES } from '../../support/test-database.ts';

/** Trace ids of the requests. */
const [LIST, PUBLISH, SEARCH, ABSENT, UNSAMPLED] = ['1', '2', '3', '4', '5'].map((digit) =>
  digit.repeat(32),
) as [string, string, string, string, string];
const DESCRIPTION = 'hush-hush-hush';
const SENDER = 'b7ad6b7169203331';
const SERVERS = '/registry/main/v0.1/servers';

for (const engine of ENGINES) {
  describe(`traces and metrics of a registry server on ${engine}`, function () {
    this.timeout(180_000);
    let collector: OtlpCollector;
    let server: RegistryUnderTest;
    let token = '';
    let status: number | undefined;

    before(async function () {
      if (engine === 'PostgreSQL' && POSTGRES === undefined)
        skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
      collector = await startOtlpCollector();
      server = await RegistryUnderTest.start({
        engine,
        mode: 'full',
        config: {
          sources: [
            inlineSource('catalogue', undefined, [serverDocument('dev.acme/notes')]),
            { name: 'published', managed: {} },
          ],
          registries: [{ name: 'main', sources: ['published', 'catalogue'] }],
          telemetry: {
            enabled: true,
            endpoint: collector.address,
            insecure: true,
            headers: { 'X-Key': 'key-of-the-collector' },
            serviceName: 'suite',
            resourceAttributes: { 'deployment.environment.name': 'test' },
            tracing: { enabled: true, sampling: 1e-9 },
          },
        },
      });
      token = server.token({ role: 'admin' });
      await eventually(async () => {
        const { servers } = (await server.send('GET', SERVERS, { token })).json<{
          servers: readonly unknown[];
        }>();
        expect(servers).to.have.length(1);
      });
      await askAll();
      await server.process.stop();
      ({ status } = await server.process.finished);
    });

    /** Sends all requests of the checks below. Remaining spans are sent when the server stops. */
    const askAll = async (): Promise<void> => {
      const ask = async (trace: string, method: string, target: string, body?: unknown): Promise<void> => {
        const headers = { traceparent: `00-${trace}-${SENDER}-01`, 'User-Agent': 'x'.repeat(999) };
        await server.send(method, target, { token, headers, body });
      };
      await ask(LIST, 'GET', `${SERVERS}?search=notes`);
      await ask(PUBLISH, 'POST', '/v1/entries', {
        server: serverDocument('dev.acme/secretly', '1.0.0', { description: DESCRIPTION }),
      });
      await ask(SEARCH, 'GET', `${SERVERS}?search=whispered-words`);
      await ask(ABSENT, 'GET', `/token/${token}`);
      for (const traceparent of ['00-nonsense-01', `00-${UNSAMPLED}-${SENDER}-00`])
        await server.send('GET', SERVERS, { token, headers: { traceparent } });
    };

    after(async () => {
      await server?.close();
      await collector?.close();
    });

    /** Returns all spans of a trace with a root that another service sampled. */
    const traceOf = (trace: string): readonly DecodedSpan[] =>
      collector.spans.filter(({ traceId }) => traceId === trace);

    it('show the steps and statements of a request, in order', () => {
      const spans = traceOf(LIST);
      const request = spanOf(spans, 'GET /registry/{registryName}/v0.1/servers');
      expect(request).to.include({ kind: 'server', parentSpanId: SENDER, failed: false });
      expect(request.resource).to.include({
        'service.name': 'suite',
        'deployment.environment.name': 'test',
      });
      expect(request.resource['service.instance.id']).to.match(/^[0-9a-f-]{36}$/);
      expect(request.attributes).to.include({
        'http.request.method': 'GET',
        'http.route': '/registry/{registryName}/v0.1/servers',
        'http.response.status_code': 200,
        'url.path': SERVERS,
        'portolan.registry.name': 'main',
        'user_agent.original': 'x'.repeat(256),
      });
      const steps = spans
        .filter(({ parentSpanId, kind }) => parentSpanId === request.spanId && kind === 'internal')
        .toSorted((left, right) => Number(left.start - right.start));
      const wanted = [
        'checkPath',
        'findRoute',
        'authenticate',
        'resolveRoles',
        'readParameters',
        'loadRegistry',
        'gateRegistry',
        'filterByClaims',
        'filterEntries',
        'listVersions',
      ];
      expect(steps.map(({ name }) => name).filter((name) => wanted.includes(name))).to.deep.equal(wanted);
      const action = spanOf(spans, 'listVersions');
      const statements = spans.filter(({ parentSpanId }) => parentSpanId === action.spanId);
      expect(statements).not.to.deep.equal([]);
      for (const statement of statements) {
        expect(statement.name).to.match(/^SELECT /);
        expect(statement.attributes['db.system.name']).to.equal(
          engine === 'SQLite' ? 'sqlite' : 'postgresql',
        );
        expect(statement.attributes['db.query.text']).to.match(/select/i);
        expect(
          statement.start >= action.start - 1_000_000n && statement.end <= action.end + 1_000_000n,
        ).to.equal(true);
      }
      expect(collector.requests[0]?.headers['x-key']).to.equal('key-of-the-collector');
    });

    it('put the trace ID into the log line of the request', () => {
      const line = server.process.log.find((one) => one['trace_id'] === LIST && one['msg'] === 'request');
      expect(line?.['span_id']).to.match(/^[0-9a-f]{16}$/);
    });

    it('show neither token, query, body nor values of statements', () => {
      const published = traceOf(PUBLISH);
      expect(spanOf(published, 'POST /v1/entries').attributes['http.response.status_code']).to.equal(201);
      expect(published.filter(({ name }) => name.startsWith('INSERT')).length).to.be.greaterThan(0);
      expect(traceOf(SEARCH)).to.not.deep.equal([]);
      const [absent] = traceOf(ABSENT).filter(({ kind }) => kind === 'server');
      expect(absent).to.include({ name: 'GET', failed: false });
      const told = JSON.stringify(collector.spans.map(({ text, name }) => [name, text]));
      for (const secret of [token, DESCRIPTION, 'whispered-words', 'dev.acme/secretly'])
        expect(told.includes(secret), secret.slice(0, 20)).to.equal(false);
    });

    it('leave out unsampled requests, and ignore invalid trace headers', () => {
      const asked = collector.spans.filter(({ kind }) => kind === 'server');
      expect(asked.filter(({ parentSpanId }) => parentSpanId !== SENDER)).to.deep.equal([]);
      expect(traceOf(UNSAMPLED)).to.deep.equal([]);
    });

    it('show a sync with fetch, staging and swap', () => {
      const [sync] = collector.spans.filter(({ name }) => name === 'sync');
      expect(sync).to.include({ parentSpanId: undefined, failed: false });
      expect(sync?.attributes).to.include({
        'portolan.source.name': 'catalogue',
        'portolan.sync.outcome': 'changed',
        'portolan.sync.servers': 1,
      });
      const spans = collector.spans.filter(({ traceId }) => traceId === sync?.traceId);
      const fetched = spanOf(spans, 'fetch');
      const swapped = spanOf(spans, 'swap');
      for (const part of [fetched, swapped]) expect(part.parentSpanId).to.equal(sync?.spanId);
      expect(spanOf(spans, 'staging').parentSpanId).to.equal(fetched.spanId);
      // Start times have a precision of a millisecond.
      expect(fetched.end <= swapped.start + 2_000_000n).to.equal(true);
      const statements = spans.filter(({ parentSpanId }) => parentSpanId === swapped.spanId);
      expect(statements.map(({ name }) => name)).to.include('INSERT entry_version');
    });

    it('are sent completely when the server stops', () => {
      expect(status).to.equal(0);
      const names = collector.metrics.map(({ name }) => name);
      expect(names).to.include.members([
        'http.server.request.duration',
        'portolan.sync.duration',
        'portolan.registry.entries',
        'process.cpu.time',
        ...(engine === 'PostgreSQL' ? ['db.client.connection.count'] : []),
      ]);
      const duration = collector.metrics.find(({ name }) => name === 'http.server.request.duration');
      expect(duration).to.include({ kind: 'histogram', unit: 's' });
      const routes = duration?.points.map(({ attributes }) => Reflect.get(attributes, 'http.route'));
      expect(routes).to.include('/registry/{registryName}/v0.1/servers');
      expect(collector.faults).to.deep.equal([]);
    });
  });
}

function spanOf(spans: readonly DecodedSpan[], name: string): DecodedSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
}
