import { createRecordingLogger, eventually, FakeClock, inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ServerMetrics } from '../src/metrics/server-metrics.ts';
import { json, refusalOf, type ErrorBody } from './support/responses.ts';
import { startServer, type TestServer } from './support/start-server.ts';

const version = { version: '1.2.3', commit: 'abc1234', buildDate: '2026-01-02T03:04:05Z' };

describe('operational endpoints', () => {
  let server: TestServer;
  let problems: readonly string[] = [];
  let warnings: readonly string[] = [];
  before(async () => {
    server = await startServer({ version, readiness: () => Promise.resolve({ problems, warnings }) });
  });
  after(() => server.close());

  const listeners = [
    { listener: 'public', get: (path: string) => server.get(path) },
    { listener: 'internal', get: (path: string) => server.getInternal(path) },
  ];
  for (const { listener, get } of listeners) {
    it(`show health, readiness and version on the ${listener} listener`, async () => {
      expect(await json(get('/health'))).to.deep.equal({ status: 'healthy' });
      expect(await json(get('/readiness'))).to.deep.equal({ status: 'ready' });
      expect(await json(get('/version'))).to.deep.equal({
        version: '1.2.3',
        commit: 'abc1234',
        build_date: '2026-01-02T03:04:05Z',
        node_version: process.version,
        platform: `${process.platform}/${process.arch}`,
      });
    });

    it(`explain on the ${listener} listener why the server is not ready`, async () => {
      problems = ['The database does not answer.', 'The moon is wrong.'];
      const answer = await get('/readiness');
      const { error, code, hint } = await json<ErrorBody>(answer);
      problems = [];
      expect([answer.status, error, code]).to.deep.equal([503, 'service not ready', 'ERR_NOT_READY']);
      expect(hint).to.equal('The database does not answer. The moon is wrong.');
      expect((await get('/health')).status).to.equal(200);
    });
  }

  it('readiness › responds 200 with warnings while writes fail', async () => {
    warnings = ['The disk of the registry database is full.'];
    const response = await server.get('/readiness');
    expect([response.status, await response.json()]).to.deep.equal([200, { status: 'ready', warnings }]);
    warnings = [];
  });

  it('are the only endpoints of the internal listener', async () => {
    for (const path of ['/', '/registry', '/openapi.json', '/v1/me']) {
      expect(await refusalOf(server.getInternal(path))).to.equal('404 ERR_ROUTE_NOT_FOUND');
    }
    expect(await refusalOf(server.getInternal('/health', { method: 'POST' }))).to.equal(
      '405 ERR_METHOD_NOT_ALLOWED',
    );
  });

  it('are logged on the public listener, but not on the internal one', async () => {
    await server.getInternal('/health', { headers: { 'x-request-id': 'inside' } });
    await server.get('/health', { headers: { 'x-request-id': 'outside' } });
    const ids = await eventually(() => {
      const found = server.lines.map(({ fields }) => Reflect.get(fields, 'request_id') as unknown);
      expect(found).to.include('outside');
      return found;
    });
    expect(ids).not.to.include('inside');
  });

  it('work without an internal listener', async () => {
    const alone = await startServer({ config: { internalAddress: 'off' } });
    expect(alone.internalUrl).to.equal(undefined);
    expect((await alone.get('/readiness')).status).to.equal(200);
    await alone.close();
  });

  it('describe no OAuth resource and identify no caller in anonymous mode', async () => {
    const metadata = server.get('/.well-known/oauth-protected-resource');
    expect(await refusalOf(metadata)).to.equal('404 ERR_METADATA_NOT_FOUND');
    const answer = await server.get('/v1/me', { headers: { authorization: 'Bearer anything' } });
    const { error, code } = await json<ErrorBody>(answer);
    expect([answer.status, error, code]).to.deep.equal([
      401,
      'authentication required',
      'ERR_AUTHENTICATION_REQUIRED',
    ]);
  });
});

describe('showIndex and listRegistries', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ version });
  });
  after(() => server.close());

  it('return the registries with their public addresses', async () => {
    const registries = [
      { name: 'main', url: `${server.publicUrl}/registry/main` },
      { name: 'empty', url: `${server.publicUrl}/registry/empty` },
    ];
    expect(await json(server.get('/registry'))).to.deep.equal({ registries });
    expect(await json(server.get('/'))).to.deep.equal({
      name: 'portolan',
      version: '1.2.3',
      registries,
      links: {
        registries: `${server.publicUrl}/registry`,
        'openapi.json': `${server.publicUrl}/openapi.json`,
        'openapi.yaml': `${server.publicUrl}/openapi.yaml`,
      },
    });
  });

  it('return a page to browsers', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const answer = await server.get('/', { headers: { accept } });
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('vary')).to.include('Accept');
    const page = await answer.text();
    expect(page).to.include(
      `<a href="${server.publicUrl}/registry/main/v0.1/servers?version=latest">main</a>`,
    );
    expect(page).to.include('/openapi.json');
  });

  it('use the configured public address', async () => {
    const behind = await startServer({ config: { publicUrl: 'https://mcp.acme.example/base/' } });
    const { registries } = await json<{ registries: readonly { url: string }[] }>(behind.get('/registry'));
    expect(registries[0]?.url).to.equal('https://mcp.acme.example/base/registry/main');
    await behind.close();
  });
});

describe('metrics', () => {
  const start = (enabled: boolean) => {
    const clock = new FakeClock();
    const logger = createRecordingLogger();
    let counts = 0;
    const readFigures = () => {
      counts += 1;
      const lastGoodTime = '2026-01-10T12:00:00.500Z';
      return counts === 2
        ? Promise.reject(new Error('database away'))
        : Promise.resolve([{ source: 'catalog', entries: { server: 40 + counts }, lastGoodTime }]);
    };
    const metrics = new ServerMetrics({
      enabled,
      version,
      logger,
      clock: clock.clock,
      nowMs: clock.nowMs,
      readFigures,
    });
    return { metrics, clock, logger, started: startServer({ metrics }), counted: () => counts };
  };

  it('count requests by route and syncs by source, already before the first scrape', async () => {
    const { metrics, started } = start(true);
    const server = await started;
    await server.get('/registry/main/v0.1/servers');
    await server.get('/registry/main/v0.1/servers?limit=0');
    await server.get('/registry/main/v0/servers/com.acme%2Fnotes/versions');
    await server.get('/nowhere', { method: 'PROPFIND' });
    const sync = {
      source: 'catalog',
      servers: 1,
      skills: 0,
      plugins: 0,
      skipped: 0,
      added: 0,
      changed: 0,
      removed: 0,
      durationMs: 700,
    };
    metrics.recordSync({ ...sync, outcome: 'changed', error: undefined });
    metrics.recordSync({ ...sync, outcome: 'failed', error: 'The file is gone.' });
    const answer = await server.getInternal('/metrics');
    expect(answer.headers.get('content-type')).to.match(/^text\/plain/);
    const text = await answer.text();
    const list = 'http_route="/registry/{registryName}/v0.1/servers"';
    const expected = [
      `portolan_http_requests_total{http_request_method="GET",${list},http_response_status_code="200"} 1`,
      `portolan_http_requests_total{http_request_method="GET",${list},http_response_status_code="400"} 1`,
      'http_route="/registry/{registryName}/v0.1/servers/{serverName}/versions",http_response_status_code="200"} 1',
      'http_request_method="_OTHER",http_route="unknown_route",http_response_status_code="404"} 1',
      `http_server_request_duration_seconds_count{http_request_method="GET",${list},http_response_status_code="200"} 1`,
      `http_server_request_duration_seconds_bucket{http_request_method="GET",${list},http_response_status_code="200",le="+Inf"} 1`,
      'http_server_active_requests{http_request_method="GET"} 0',
      'portolan_registry_entries{source="catalog",type="server"} 41',
      'portolan_sync_last_success_timestamp_seconds{source="catalog"} 1768046400.5',
      'portolan_sync_duration_seconds_bucket{source="catalog",outcome="changed",le="0.5"} 0',
      'portolan_sync_duration_seconds_bucket{source="catalog",outcome="changed",le="1"} 1',
      'portolan_sync_duration_seconds_sum{source="catalog",outcome="changed"} 0.7',
      'portolan_errors_total{area="sync",error_type="failed"} 1',
      'portolan_build_info{version="1.2.3",commit="abc1234"',
    ];
    for (const line of expected) expect(text).to.include(line);
    await server.close();
  });

  it('count errors by their code', async () => {
    const { started } = start(true);
    const server = await started;
    server.reader.gate = () => Promise.reject(new Error('lost'));
    await server.get('/registry/main/v0.1/servers');
    const text = await (await server.getInternal('/metrics')).text();
    expect(text).to.include('portolan_errors_total{area="http",error_type="ERR_INTERNAL"} 1');
    await server.close();
  });

  it('query the number of entries at most every 30 s, and earlier after a failure', async () => {
    const { started, clock, counted, logger } = start(true);
    const server = await started;
    const scrape = async () => (await server.getInternal('/metrics')).text();
    await scrape();
    clock.advance(29_000);
    await scrape();
    expect(counted()).to.equal(1);
    clock.advance(1000);
    expect(await scrape()).not.to.include('portolan_registry_entries{');
    expect(logger.lines.map(({ message }) => message)).to.include('cannot count entries');
    clock.advance(5000);
    expect(await scrape()).to.include('portolan_registry_entries{source="catalog",type="server"} 43');
    await server.close();
  });

  it('are returned to two concurrent scrapes', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const clock = new FakeClock();
    const logger = createRecordingLogger();
    const readFigures = () => opened.then(() => []);
    const metrics = new ServerMetrics({
      enabled: true,
      version,
      logger,
      clock: clock.clock,
      nowMs: clock.nowMs,
      readFigures,
    });
    const server = await startServer({ metrics });
    const scrape = async () => (await server.getInternal('/metrics')).status;
    const running = [scrape(), scrape(), scrape()];
    expect(await inTime('a refusal', Promise.race(running))).to.equal(503);
    open();
    expect(await Promise.all(running)).to.have.members([200, 200, 503]);
    expect(await scrape()).to.equal(200);
    await server.close();
  });

  it('are 404 when they are off', async () => {
    const { started } = start(false);
    const server = await started;
    expect(await refusalOf(server.getInternal('/metrics'))).to.equal('404 ERR_FEATURE_DISABLED');
    await server.close();
  });
});
