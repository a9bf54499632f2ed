import { PortolanError } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { json, refusalOf, type ErrorBody } from './support/responses.ts';
import { accessLine } from './support/eventual-log.ts';
import { openRaw } from './support/raw-connection.ts';
import { startServer, type TestServer } from './support/start-server.ts';

const LIST = '/registry/main/v0.1/servers';

describe('error responses', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  it('have one format with the request ID', async () => {
    const answer = await server.get('/nowhere', { headers: { 'x-request-id': 'mine-1' } });
    expect(answer.headers.get('content-type')).to.equal('application/json');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(await json<ErrorBody>(answer)).to.deep.equal({
      error: 'There is nothing at /nowhere.',
      code: 'ERR_ROUTE_NOT_FOUND',
      requestId: 'mine-1',
      hint: 'The addresses of this server are described at /openapi.json.',
    });
  });

  for (const path of [
    '/nowhere',
    '/registry/main',
    '/registry/main/v0.1',
    '/registry/main/v0.2/servers',
    '//',
    '/metrics',
  ]) {
    it(`are 404 for ${path}`, async () => {
      expect(await refusalOf(server.get(path))).to.equal('404 ERR_ROUTE_NOT_FOUND');
    });
  }

  const WAYS_ON: readonly (readonly [path: string, hint: string])[] = [
    ['/registry/main/servers', 'A registry has its servers at /registry/main/v0.1/servers.'],
    ['/registry/nobodys/servers', 'A registry has its servers at /registry/nobodys/v0.1/servers.'],
    [
      '/registry/main/v0.1/servers/com.acme/notes',
      'A registry has one server at /registry/main/v0.1/servers/com.acme%2Fnotes/versions/latest.',
    ],
    [
      '/registry/main/v0.1/servers/com.acme%2Fnotes',
      'A registry has one server at /registry/main/v0.1/servers/com.acme%2Fnotes/versions/latest.',
    ],
    ['/v0.1/servers', 'This server has its entries below registries. You may read '],
    ['/v0/servers?limit=1', 'This server has its entries below registries. You may read '],
    ['/servers', 'This server has its entries below registries. You may read '],
  ];
  for (const [path, expected] of WAYS_ON) {
    it(`N13 › for ${path} contain a hint with the correct address`, async () => {
      const answer = await server.get(path);
      const { hint } = await json<ErrorBody>(answer);
      expect(answer.status).to.equal(404);
      expect(hint).to.include(expected);
      if (path.includes('/registry/')) return;
      expect(hint).to.match(/http:\/\/127\.0\.0\.1:\d+\/registry\/main\/v0\.1\/servers/);
    });
  }

  for (const path of ['', '/', '/v0', '/v0.1', '/v0.1/'].flatMap((end) => [
    `/registry/main${end}`,
    `/registry/nobodys${end}`,
  ])) {
    it(`for ${path} contain a hint with the address of servers, also for an unknown registry`, async () => {
      const { hint } = await json<ErrorBody>(await server.get(path));
      const [, , name = ''] = path.split('/');
      expect(hint).to.equal(
        `A registry has its servers at /registry/${name}/v0.1/servers. ` +
          'The addresses of this server are described at /openapi.json.',
      );
    });
  }

  for (const path of [
    '/registry/a%2Fb',
    '/registry/main/v0.2',
    '/registry/main/x',
    `/registry/${'a'.repeat(200)}`,
  ]) {
    it(`for ${path.slice(0, 40)} contain no hint about a registry`, async () => {
      const { hint } = await json<ErrorBody>(await server.get(path));
      expect(hint).to.equal('The addresses of this server are described at /openapi.json.');
    });
  }

  for (const path of [
    '/v0/publish',
    '/v0.1/publish',
    '/registry/main/v0.1/publish',
    '/registry/other/v0/publish',
  ]) {
    it(`for ${path} contain a hint about publishing (official registry 604)`, async () => {
      const answer = await server.get(path, { method: 'POST', body: '{}' });
      expect(answer.status).to.equal(404);
      const { code, hint } = await json<ErrorBody>(answer);
      expect(code).to.equal('ERR_ROUTE_NOT_FOUND');
      expect(hint).to.equal(
        'Publish with `portolan publish FILE`, or send the document with its claims to POST /v1/entries.',
      );
    });
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    it(`are 405 with Allow for ${method} of read-only paths`, async () => {
      for (const path of [
        LIST,
        '/registry',
        '/health',
        '/v1/me',
        '/registry/main/v0/servers/a%2Fb/versions',
      ]) {
        const answer = await server.get(path, { method });
        expect(answer.headers.get('allow'), path).to.equal('GET, HEAD, OPTIONS');
        expect(await refusalOf(answer)).to.equal('405 ERR_METHOD_NOT_ALLOWED');
      }
      expect(await refusalOf(server.get('/nowhere', { method }))).to.equal('404 ERR_ROUTE_NOT_FOUND');
    });
  }

  it('have no body for HEAD', async () => {
    for (const [path, status] of [
      ['/nowhere', 404],
      [LIST, 200],
      [`${LIST}?limit=0`, 400],
    ] as const) {
      const answer = await server.get(path, { method: 'HEAD' });
      expect([answer.status, await answer.text()]).to.deep.equal([status, '']);
    }
  });

  it('are 500 without the reason for an unexpected error, which the log has', async () => {
    server.reader.gate = () => Promise.reject(new Error('select secret from table'));
    const answer = await server.get(LIST);
    const body = await json<ErrorBody>(answer);
    expect([answer.status, body.code]).to.deep.equal([500, 'ERR_INTERNAL']);
    expect(JSON.stringify(body)).not.to.include('secret');
    const line = server.lines.find(({ message }) => message === 'request failed');
    expect(line).to.include({ level: 'error' });
    expect(line?.fields).to.include({ request_id: body.requestId, code: 'ERR_INTERNAL' });
    expect(line?.fields).to.have.nested.property('err.message', 'select secret from table');
  });

  it('are 503 without its address while the database is down', async () => {
    const away = new PortolanError(
      'ERR_DATABASE_UNAVAILABLE',
      'unavailable',
      'The database db.example:5432 does not answer.',
      { hint: 'Check db.example.' },
    );
    server.reader.gate = () => Promise.reject(away);
    const answer = await server.get(LIST);
    const body = await json<ErrorBody>(answer);
    expect([answer.status, body.code]).to.deep.equal([503, 'ERR_DATABASE_UNAVAILABLE']);
    expect(JSON.stringify(body)).not.to.include('db.example');
  });

  it('are 504 for a slow request, which delays no other request', async () => {
    const slow = await startServer({ config: { requestTimeout: '100ms' } });
    slow.reader.gate = () => new Promise(() => undefined);
    const waiting = slow.get(LIST);
    expect((await slow.get('/health')).status).to.equal(200);
    expect(await refusalOf(waiting)).to.equal('504 ERR_DEADLINE_EXCEEDED');
    expect(await refusalOf(slow.get(`${LIST}?limit=2`))).to.equal('504 ERR_DEADLINE_EXCEEDED');
    await slow.close();
  });

  it('are 400 for a request without Host', async () => {
    const { closed } = openRaw(server.publicUrl, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(await closed).to.match(/^HTTP\/1\.1 400 .*"code":"ERR_HOST_INVALID"/s);
  });

  it('are 400 for a request with two Host headers, which a proxy could read differently', async () => {
    const { closed } = openRaw(
      server.publicUrl,
      'GET /health HTTP/1.1\r\nHost: localhost\r\nhost: b.example\r\nConnection: close\r\n\r\n',
    );
    expect(await closed).to.match(/^HTTP\/1\.1 400 .*"code":"ERR_HOST_INVALID"/s);
  });

  const targets = [
    'http://[::x/health',
    'http://a.example:port/health%',
    'ftp://a.example/health',
    'http:///health',
    'https://',
  ];
  for (const target of targets) {
    it(`are 400 for the target ${target}, and logged`, async () => {
      const { closed } = openRaw(
        server.publicUrl,
        `GET ${target}?token=secret HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(await closed).to.match(
        /^HTTP\/1\.1 400 .*\r\nX-Request-Id: .*"code":"ERR_(TARGET|PATH)_MALFORMED"/s,
      );
      await eventually(() => expect(server.records.map(({ status }) => status)).to.deep.equal([400]));
      expect(server.records[0]?.path).not.to.include('secret');
    });
  }

  it('use the host of an absolute request target instead of the header', async () => {
    const { closed } = openRaw(
      server.publicUrl,
      'GET HTTP://[2001:db8::1]:8080 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(await closed).to.match(/^HTTP\/1\.1 200 .*"http:\/\/\[2001:db8::1\]:8080\/registry"/s);
  });

  it('of probes are not logged', async () => {
    const unready = await startServer({
      readiness: () => Promise.resolve({ problems: ['The database does not answer.'], warnings: [] }),
    });
    const answer = await unready.getInternal('/readiness');
    await unready.close();
    expect(await refusalOf(answer)).to.equal('503 ERR_NOT_READY');
    expect(unready.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('are unchanged by an unknown Expect header', async () => {
    const { closed } = openRaw(
      server.publicUrl,
      'GET /nowhere HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n',
    );
    expect(await closed).to.match(/^HTTP\/1\.1 404 .*"code":"ERR_ROUTE_NOT_FOUND"/s);
  });

  it('are in the log and in audit, also for input that is no HTTP request', async () => {
    const before = server.records.length;
    await openRaw(server.publicUrl, 'hello\r\n\r\n').closed;
    await openRaw(server.publicUrl, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n').closed;
    await eventually(() =>
      expect(
        server.records.slice(before).map(({ status, method, because }) => [status, method, because]),
      ).to.deep.equal([
        [400, '', 'malformed'],
        [405, 'CONNECT', 'malformed'],
      ]),
    );
    const { requestId = '' } = server.records.at(-1) ?? {};
    expect((await accessLine(server.lines, requestId)).fields).to.include({ status: 405, sub: 'anonymous' });
  });

  it('are 408 for an incomplete body, which counts as an error of the client', async () => {
    const hasty = await startServer({ config: { requestTimeout: '100ms' } });
    const { closed } = openRaw(
      hasty.publicUrl,
      'POST /v1/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{}',
    );
    expect(await closed).to.match(/^HTTP\/1\.1 408 .*"code":"ERR_BODY_TOO_SLOW"/s);
    expect(hasty.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    await hasty.close();
  });

  it('are 405 for CONNECT', async () => {
    const { closed } = openRaw(server.publicUrl, 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n');
    expect(await closed).to.match(
      /^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD, OPTIONS\r\n.*"code":"ERR_METHOD_NOT_ALLOWED"/s,
    );
  });

  it('of the internal listener list its paths', async () => {
    const { hint } = await json<ErrorBody>(server.getInternal('/openapi.json'));
    expect(hint).to.equal('This listener answers at /health, /readiness, /version, /metrics.');
  });

  it('are 400 for input that is not HTTP', async () => {
    const cases = [
      { send: 'hello\r\n\r\n', expected: /^HTTP\/1\.1 400 .*"code":"ERR_REQUEST_MALFORMED"/s },
      {
        send: 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n',
        expected: /^HTTP\/1\.1 400 .*"code":"ERR_REQUEST_MALFORMED"/s,
      },
      {
        send: `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        expected: /^HTTP\/1\.1 431 .*"code":"ERR_HEADERS_TOO_LARGE"/s,
      },
    ];
    for (const { send, expected } of cases) {
      const received = await openRaw(server.publicUrl, send).closed;
      expect(received).to.match(expected);
      expect(received).to.match(/\r\nX-Request-Id: (\S+)\r\n.*"requestId":"\1"/s);
    }
    await eventually(async () => expect((await server.get('/health')).status).to.equal(200));
  });
});
