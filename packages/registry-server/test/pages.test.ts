import { isPortolanError, type PageRequest, type PageRoute } from '@portolan/plugin-api';
import { authOnlyPolicy } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import { expect } from 'chai';
import type { Context } from 'koa';
import { startServer, type TestServer } from './support/start-server.ts';

const HTML = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

const asked: PageRequest[] = [];
const route = (page: Partial<PageRoute>): PageRoute => ({
  method: 'GET',
  path: '/notes/{name}',
  name: 'note',
  summary: 'A note.',
  handle: (request) => {
    asked.push(request);
    return { status: 200, body: `<p>${request.method} ${request.parameters['name']}</p>` };
  },
  ...page,
});

const pages: readonly PageRoute[] = [
  route({}),
  route({ path: '/', name: 'home', handle: () => ({ status: 200, body: '<h1>Home</h1>' }) }),
  route({
    path: '/notes/new',
    name: 'newNote',
    handle: () => ({ status: 418, headers: { 'Cache-Control': 'private' } }),
  }),
  route({
    method: 'POST',
    path: '/notes/new',
    name: 'makeNote',
    handle: ({ body }) => ({
      status: 303,
      headers: { Location: '/', 'Set-Cookie': ['a=1', 'b=2'] },
      body: new URLSearchParams(body).get('text') ?? '',
    }),
  }),
  route({
    path: '/ask',
    name: 'ask',
    handle: async ({ query, headers: { authorization }, api }) => {
      const answer = await api(
        {
          path: query.get('path') ?? '/',
          query: { limit: '1' },
          headers: { Authorization: 'Bearer smuggled' },
        },
        typeof authorization === 'string' ? authorization : undefined,
      );
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) };
    },
  }),
];

describe('pages of plugins', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ pages });
  });
  after(() => server.close());

  const answerOf = async (path: string, init: RequestInit = HTML) => {
    const response = await server.get(path, { redirect: 'manual', ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it('serve / to requests that prefer HTML, and to no others', async () => {
    expect((await answerOf('/')).text).to.equal('<h1>Home</h1>');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
      const { headers, text } = await answerOf('/', { headers: { accept } });
      expect(JSON.parse(text), accept).to.include({ name: 'portolan' });
      expect(headers.get('vary'), accept).to.match(/\bAccept\b/);
    }
  });

  it('have security headers, unless the page sets its own', async () => {
    const { headers } = await answerOf('/notes/a');
    expect(headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include("frame-ancestors 'none'");
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect((await answerOf('/notes/new')).headers.get('cache-control')).to.equal('private');
  });

  it('receive decoded parameters; a path without parameters comes first', async () => {
    expect((await answerOf('/notes/%3Cb%3E%2Fc')).text).to.equal('<p>GET <b>/c</p>');
    expect((await answerOf('/notes/new')).status).to.equal(418);
    expect((await answerOf('/notes/a', { ...HTML, method: 'HEAD' })).status).to.equal(200);
    expect((await answerOf('/notes/a', { ...HTML, method: 'POST' })).status).to.equal(405);
  });

  it('receive cookies by name, the first one when a name occurs twice', async () => {
    await answerOf('/notes/a', { headers: { ...HTML.headers, cookie: 'a=1; b="x=y"; a=2; broken' } });
    expect(Object.fromEntries(asked.at(-1)?.cookies ?? [])).to.deep.equal({ a: '1', b: '"x=y"' });
  });

  it('parse forms and JSON only, and keep them out of audit', async () => {
    const post = (type: string, body: string) =>
      answerOf('/notes/new', { method: 'POST', headers: { 'content-type': type }, body });
    const made = await post('application/x-www-form-urlencoded', 'text=a+b');
    expect(made.text).to.equal('a b');
    expect(made.headers.getSetCookie()).to.deep.equal(['a=1', 'b=2']);
    expect((await post('application/json', '{}')).status).to.equal(303);
    expect(JSON.parse((await post('text/plain', 'text=a')).text)).to.include({
      code: 'ERR_CONTENT_TYPE_UNSUPPORTED',
    });
    expect((await post('application/x-www-form-urlencoded', 'x'.repeat(1024 * 1024 + 1))).status).to.equal(
      413,
    );
    expect(server.records.map(({ requestBody }) => requestBody).filter(Boolean)).to.deep.equal([]);
  });

  it('respond 403 to a form of a foreign site, as HTML or JSON by the Accept header', async () => {
    const post = (accept: string) =>
      answerOf('/notes/new', {
        method: 'POST',
        headers: {
          accept,
          origin: 'https://evil.example',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'text=a',
      });
    const page = await post(HTML.headers.accept);
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([403, 'text/html; charset=utf-8']);
    expect(page.text).to.include('<h1>Error 403</h1>').and.include('ERR_ORIGIN_NOT_ALLOWED');
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'");
    for (const accept of ['*/*', 'application/json']) {
      expect(JSON.parse((await post(accept)).text), accept).to.include({ code: 'ERR_ORIGIN_NOT_ALLOWED' });
    }
  });

  it('show errors as HTML to browsers, with an escaped message', async () => {
    const headers = { ...HTML.headers, 'content-type': 'text/<b>' };
    const failed = await answerOf('/notes/new', { method: 'POST', headers, body: 'x' });
    expect([failed.status, failed.headers.get('content-type')]).to.deep.equal([
      415,
      'text/html; charset=utf-8',
    ]);
    expect(failed.text).to.include('ERR_CONTENT_TYPE_UNSUPPORTED').and.not.include('<b>');
    const api = await answerOf('/registry/none/v0.1/servers');
    expect(api.headers.get('content-type')).to.equal('application/json');
  });

  it('call the API like over HTTP, with the same request ID and address, and cannot call pages', async () => {
    const path = '/registry/main/v0.1/servers';
    const asking = await answerOf(`/ask?path=${path}`, { headers: { 'x-request-id': 'mine' } });
    const { status, headers, json } = JSON.parse(asking.text);
    const direct = await server.get(`${path}?limit=1`);
    expect(status).to.equal(200);
    expect(json).to.deep.equal(await direct.json());
    expect(headers.etag).to.equal(direct.headers.get('etag'));
    const [inner, outer] = server.records.filter(({ requestId }) => requestId === 'mine');
    expect(inner).to.include({
      route: '/registry/{registryName}/v0.1/servers',
      event: 'server.list',
      status: 200,
    });
    expect(outer).to.include({ route: '/ask', event: 'operation', remoteAddress: inner?.remoteAddress });
    const refused = JSON.parse((await answerOf('/ask?path=/notes/a')).text);
    expect(refused).to.deep.include({ status: 404 });
  });

  it('cannot call an API path with an encoded query', async () => {
    expect((await answerOf('/ask?path=/registry%3Fa=b')).status).to.equal(500);
  });

  it('are rejected when their address or name is taken', async () => {
    for (const page of [
      { path: '/notes/{title}' },
      { path: '/registry' },
      { path: '/v1/sources/{name}' },
      { path: '/registry/{a}/v0/servers' },
      { name: 'listServers' },
      { name: 'note' },
    ]) {
      const starting = startServer({ pages: [route({}), route({ name: 'second', path: '/x', ...page })] });
      const code = await starting.then(
        (started) => started.close(),
        (error: unknown) => isPortolanError(error) && error.code,
      );
      expect(code, JSON.stringify(page)).to.equal('ERR_PLUGIN_KIND_CLASH');
    }
  });

  it('require no token, and pass the token of the caller to the API', async () => {
    const identity = { subject: 'ada', claims: { team: 'maps' } };
    const provider = {
      kind: {
        kind: 'test',
        identifies: true,
        config: {},
        hosts: ['registry-server'] as const,
        create: () => instance,
      },
      instance: {
        verify: async (ctx: Context, next: () => Promise<void>) => {
          if (ctx.get('Authorization') !== 'Bearer good')
            throw Object.assign(new Error('no'), { status: 401, expose: true });
          await next();
        },
        identify: () => identity,
      },
    } as unknown as Kernel['authProvider']; // steps ask it for nothing else
    const { instance } = provider;
    const guarded = await startServer({ pages, access: { provider, policy: authOnlyPolicy } });
    try {
      const ask = async (headers: Record<string, string>) =>
        Object(await (await guarded.get('/ask?path=/v1/me', { headers })).json());
      expect((await guarded.get('/', HTML)).status).to.equal(200);
      expect((await guarded.get('/')).status).to.equal(401);
      expect(await ask({})).to.include({ status: 401 });
      expect(await ask({ authorization: 'Bearer smuggled' })).to.include({ status: 401 });
      const known = await ask({ authorization: 'Bearer good' });
      expect(known).to.include({ status: 200 });
      expect(known.json).to.include({ subject: 'ada' });
    } finally {
      await guarded.close();
    }
  });
});
