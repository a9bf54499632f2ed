import { anonymousPolicy, authOnlyPolicy } from '@portolan/authorization';
import type { AccessPolicy } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import type { Identity, MiddlewareKind } from '@portolan/plugin-api';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { namesOf, json, refusalOf } from './support/responses.ts';
import { accessLine } from './support/eventual-log.ts';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer, untappedHooks } from './support/start-server.ts';
import type { StartOptions } from '../src/start-registry-server.ts';

const LIST = '/registry/main/v0.1/servers';

describe('assignRequestId', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  it('returns the request ID of the client', async () => {
    const answer = await server.get('/health', { headers: { 'x-request-id': 'a-1_b.C' } });
    expect(answer.headers.get('x-request-id')).to.equal('a-1_b.C');
  });

  for (const id of ['a b', 'x'.repeat(65), 'a"b', 'ä', '']) {
    it(`replaces the invalid request ID "${id.slice(0, 10)}"`, async () => {
      const answer = await server.get('/health', { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).to.match(/^[\w-]{12}\.[0-9a-z]+$/);
    });
  }

  it('generates another ID for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await server.get('/health')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).to.equal(20);
  });
});

describe('recordAccess', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const cases = [
    { path: `${LIST}?search=my-secret`, status: 200, level: 'info' },
    { path: '/nowhere?token=my-secret', status: 404, level: 'info' },
    { path: `${LIST}?limit=0`, status: 400, level: 'info' },
  ];
  for (const [index, { path, status, level }] of cases.entries()) {
    it(`writes one line for status ${status}, at level ${level}, without the query`, async () => {
      const id = `line-${index}`;
      const answer = await server.get(path, {
        headers: { 'x-request-id': id, 'accept-encoding': 'identity' },
      });
      const bytes = (await answer.arrayBuffer()).byteLength;
      const line = await accessLine(server.lines, id);
      const { duration_ms: duration, ...fields } = line.fields;
      expect(line.level).to.equal(level);
      expect(duration).to.be.a('number').and.at.least(0);
      expect(fields).to.deep.equal({
        method: 'GET',
        path: path.split('?', 1)[0],
        status,
        response_bytes: bytes,
        request_id: id,
        remote_addr: '127.0.0.1',
        sub: 'anonymous',
      });
      expect(JSON.stringify(line)).not.to.include('my-secret');
    });
  }

  it('writes the subject and the user of a caller', async () => {
    const identity: Identity = { subject: 'u-1842', user: 'Ada', claims: {} };
    const provider: Kernel['authProvider'] = {
      kind: {
        kind: 'test',
        config: { type: 'object' },
        hosts: ['registry-server'],
        identifies: true,
        create: () => provider.instance,
      },
      instance: { verify: (_ctx, next) => next(), identify: () => identity },
    };
    const known = await startServer({ access: { provider, policy: authOnlyPolicy } });
    await known.get('/v1/me', { headers: { 'x-request-id': 'known' } });
    expect((await accessLine(known.lines, 'known')).fields).to.include({ sub: 'u-1842', user: 'Ada' });
    await known.close();
  });

  it('writes an error line for an internal error', async () => {
    const failing = await startServer();
    failing.reader.gate = () => Promise.reject(new Error('lost'));
    await failing.get(LIST, { headers: { 'x-request-id': 'failed' } });
    expect(await accessLine(failing.lines, 'failed')).to.include({ level: 'error' });
    await failing.close();
  });

  it('counts no bytes for responses without a body', async () => {
    const tag = (await server.get(LIST)).headers.get('etag') ?? '';
    await server.get(LIST, { headers: { 'x-request-id': 'unchanged', 'if-none-match': tag } });
    await server.get(LIST, { method: 'HEAD', headers: { 'x-request-id': 'head' } });
    await server.get(LIST, { method: 'OPTIONS', headers: { 'x-request-id': 'options' } });
    for (const id of ['unchanged', 'head', 'options']) {
      expect((await accessLine(server.lines, id)).fields).to.include({ response_bytes: 0 });
    }
  });

  const records = [
    {
      path: LIST,
      because: 'anonymous',
      allowed: true,
      route: '/registry/{registryName}/v0.1/servers',
      registry: 'main',
    },
    { path: '/health', because: 'public', allowed: true, route: '/health', registry: undefined },
    { path: '/nowhere', because: 'not-found', allowed: false, route: '/nowhere', registry: undefined },
    { path: '/v1/me', because: 'unauthenticated', allowed: false, route: '/v1/me', registry: undefined },
    {
      path: `${LIST}/a%2Fb/versions`,
      because: 'not-found',
      allowed: false,
      route: '/registry/{registryName}/v0.1/servers/{serverName}/versions',
      registry: 'main',
    },
  ];
  for (const { path, ...expected } of records) {
    it(`calls the hook accessDecided for a request of ${path}`, async () => {
      const id = `record-${path.replace(/\W/g, '')}`;
      const answer = await server.get(path, { headers: { 'x-request-id': id } });
      const record = await eventually(() => {
        const found = server.records.find(({ requestId }) => requestId === id);
        if (found === undefined) throw new Error('no record yet');
        return found;
      });
      expect(record).to.include({
        ...expected,
        method: 'GET',
        path,
        status: answer.status,
        subject: undefined,
      });
      expect(record.at).to.be.instanceOf(Date);
    });
  }
});

describe('an access policy that refuses', () => {
  const closed: AccessPolicy = {
    ...anonymousPolicy,
    decideRegistryAccess: (_caller, { claims }) =>
      'org' in claims ? { allowed: false, because: 'claims-missing' } : { allowed: true, because: 'claims' },
  };

  it('closes a registry with 403, hides it from the list and reports it to the hook', async () => {
    const reader = new MemoryReader({
      open: { rows: [row({ name: 'com.acme/a' })] },
      closed: { rows: [], claims: { org: 'acme' } },
    });
    const server = await startServer({ reader, access: { policy: closed } });
    expect(await namesOf(server.get('/registry/open/v0.1/servers'))).to.have.length(1);
    const paths = ['/registry/closed/v0.1/servers', '/registry/closed/openapi.json'];
    for (const path of paths)
      expect(await refusalOf(server.get(path))).to.equal('403 ERR_REGISTRY_FORBIDDEN');
    const { registries } = await json<{ registries: readonly { name: string }[] }>(server.get('/registry'));
    expect(registries.map(({ name }) => name)).to.deep.equal(['open']);
    await eventually(() => {
      const refused = server.records.filter(({ status }) => status === 403);
      expect(refused.map(({ because, registry }) => [because, registry])).to.deep.equal(
        paths.map(() => ['claims-missing', 'closed']),
      );
    });
    await server.close();
  });

  it('decides once about each claims object, and shows only what it allows', async () => {
    const asked: unknown[] = [];
    const policy: AccessPolicy = {
      ...anonymousPolicy,
      seesEverything: () => false,
      decideEntry: (_caller, _registry, { claims }) => {
        asked.push(claims);
        return { allowed: false, because: 'unlabelled' };
      },
    };
    const reader = new MemoryReader({ main: { rows: [] } });
    const scopes: unknown[] = [];
    reader.list = ({ visible }) => {
      scopes.push(visible);
      return Promise.resolve({ rows: [], more: false });
    };
    const server = await startServer({ reader, access: { policy } });
    await server.get(LIST);
    expect([asked, scopes]).to.deep.equal([[{}], [[]]]);
    await server.close();
  });
});

describe('middleware of plugins', () => {
  const kind = (placed: MiddlewareKind['placed']): MiddlewareKind => ({
    kind: 'marker',
    config: { type: 'object' },
    hosts: ['registry-server'],
    placed,
    create: () => (_ctx, next) => next(),
  });
  const marking = (
    placed: MiddlewareKind['placed'],
    mark: string,
  ): NonNullable<StartOptions['middleware']>[number] => ({
    kind: kind(placed),
    handler: async (ctx, next) => {
      ctx.append('X-Marks', mark);
      await next();
    },
  });

  it('runs next to its named step, in the order of the plugins', async () => {
    const middleware = [
      marking({ after: 'reportErrors' }, 'c'),
      marking({ before: 'reportErrors' }, 'a'),
      marking({ after: 'reportErrors' }, 'd'),
      marking({ before: 'reportErrors' }, 'b'),
      marking({ after: 'route' }, 'never reached for known routes'),
    ];
    const server = await startServer({ middleware });
    const answer = await server.get(LIST);
    expect([answer.status, answer.headers.get('x-marks')]).to.deep.equal([200, 'a, b, c, d']);
    await server.close();
  });

  it('may refuse with a status of its own', async () => {
    const refusing: NonNullable<StartOptions['middleware']>[number] = {
      kind: kind({ before: 'authenticate' }),
      handler: (ctx) => ctx.throw(429, 'Slow down.', { headers: { 'Retry-After': '7' } }),
    };
    const server = await startServer({ middleware: [refusing] });
    const answer = await server.get(LIST);
    expect(answer.headers.get('retry-after')).to.equal('7');
    expect(await answer.clone().text()).to.include('Slow down.');
    expect(await refusalOf(answer)).to.equal('429 ERR_TOO_MANY_REQUESTS');
    await server.close();
  });

  const places: readonly MiddlewareKind['placed'][] = [
    { before: 'assignRequestId' },
    { before: 'recordAccess' },
    { after: 'recordAccess' },
    { before: 'reportErrors' },
    { before: 'route' },
  ];
  for (const placed of places) {
    const place = Object.entries(placed).join().replace(',', ' ');
    it(`that throws ${place} causes a logged 500 response`, async () => {
      const failing: NonNullable<StartOptions['middleware']>[number] = {
        kind: kind(placed),
        handler: () => Promise.reject(new Error('/etc/secret is gone')),
      };
      const server = await startServer({ middleware: [failing] });
      const answer = await server.get(LIST);
      expect(await answer.clone().text()).not.to.include('secret');
      expect(await refusalOf(answer)).to.equal('500 ERR_INTERNAL');
      expect(server.lines.filter(({ level }) => level === 'error')).not.to.deep.equal([]);
      await server.close();
    });
  }

  for (const placed of [{ after: 'recordAccess' }, { before: 'reportErrors' }]) {
    const place = Object.entries(placed).join().replace(',', ' ');
    it(`that refuses ${place} leaves a log line and an access record`, async () => {
      const refusing: NonNullable<StartOptions['middleware']>[number] = {
        kind: kind(placed),
        handler: (ctx) => ctx.throw(403, 'Not from here.'),
      };
      const server = await startServer({ middleware: [refusing] });
      expect(await refusalOf(server.get(LIST))).to.equal('403 ERR_FORBIDDEN');
      await eventually(() => {
        expect(server.records.map(({ status, allowed }) => [status, allowed])).to.deep.equal([[403, false]]);
      });
      await server.close();
    });
  }

  it('that names an unknown step stops the start with the list of steps', async () => {
    const started = startServer({ middleware: [marking({ before: 'authentcate' }, 'x')] });
    const error = await started.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.include({ code: 'ERR_MIDDLEWARE_PLACE' });
    expect(error)
      .to.have.property('message')
      .that.matches(/"authentcate"; expected one of assignRequestId, .*authenticate/);
  });
});

describe('an auth provider that identifies callers', () => {
  const ada: Identity = { subject: 'ada', claims: { org: 'acme' } };
  const authProvider: Kernel['authProvider'] = {
    kind: {
      kind: 'test',
      config: { type: 'object' },
      hosts: ['registry-server'],
      identifies: true,
      create: () => authProvider.instance,
    },
    instance: {
      verify: async (ctx, next) => {
        if (ctx.get('authorization') !== 'Bearer good') ctx.throw(401, 'token validation failed');
        await next();
      },
      identify: () => ada,
    },
  };

  let server: TestServer;
  before(async () => {
    const hooks = {
      ...untappedHooks(),
      resolveRoles: () => Promise.resolve(['manageEntries', 'superAdmin'] as const),
    };
    server = await startServer({ access: { provider: authProvider, policy: authOnlyPolicy }, hooks });
  });
  after(() => server.close());

  it('runs for every request except open paths and pre-flights', async () => {
    for (const path of [LIST, '/', '/registry', '/v1/me', '/nowhere']) {
      expect(await refusalOf(server.get(path)), path).to.equal('401 ERR_AUTHENTICATION_REQUIRED');
    }
    const open = ['/health', '/readiness', '/version', '/openapi.json', '/openapi.yaml'];
    for (const path of open) expect((await server.get(path)).status, path).to.equal(200);
    expect((await server.get(LIST, { method: 'OPTIONS' })).status).to.equal(204);
    expect((await server.get(LIST)).headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('identifies the caller, with the roles of the hook in a fixed order', async () => {
    const headers = { authorization: 'Bearer good', 'x-request-id': 'ada-1' };
    expect(await json(server.get('/v1/me', { headers }))).to.deep.equal({
      subject: 'ada',
      roles: ['superAdmin', 'manageEntries'],
      registries: ['main', 'empty'],
    });
    expect((await accessLine(server.lines, 'ada-1')).fields).to.include({ sub: 'ada' });
  });
});
