import { expect } from 'chai';
import { startServer, type TestServer } from './support/start-server.ts';

const LIST = '/registry/main/v0.1/servers';
const PAGE = { headers: { origin: 'https://editor.example' } };

function corsHeaders(answer: Response): Readonly<Record<string, string>> {
  return Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('access-control-')));
}

describe('allowOrigins (official registry 133, 710, 903)', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const readable = [
    LIST,
    `${LIST}?limit=0`,
    `${LIST}/com.acme%2Fnone/versions`,
    '/registry/none/v0.1/servers',
    '/registry/main/nothing',
    '/registry/%ff/v0.1/servers',
    '/registry',
    '/registry/main/openapi.yaml',
    '/openapi.json',
    '/openapi.yaml',
    '/.well-known/oauth-protected-resource',
  ];
  for (const path of readable) {
    it(`permits pages of all origins to read ${path}`, async () => {
      const answer = await server.get(path, PAGE);
      expect(corsHeaders(answer)).to.deep.equal({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, OPTIONS',
        'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match',
        'access-control-expose-headers': 'ETag, WWW-Authenticate, X-Request-Id',
      });
      expect(answer.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    });

    it(`responds to a pre-flight for ${path}`, async () => {
      const headers = { ...PAGE.headers, 'access-control-request-method': 'GET' };
      const answer = await server.get(path, { method: 'OPTIONS', headers });
      expect(answer.status).to.equal(204);
      expect(await answer.text()).to.equal('');
      expect(corsHeaders(answer)).to.include({
        'access-control-allow-origin': '*',
        'access-control-max-age': '600',
      });
    });
  }

  it('sets its headers on 304 and 405 responses', async () => {
    const tag = (await server.get(LIST)).headers.get('etag') ?? '';
    const unchanged = await server.get(LIST, { headers: { 'if-none-match': tag } });
    const refused = await server.get(LIST, { method: 'POST' });
    expect([unchanged.status, refused.status]).to.deep.equal([304, 405]);
    for (const answer of [unchanged, refused])
      expect(corsHeaders(answer)).to.have.property('access-control-allow-origin', '*');
  });

  for (const path of ['/', '/health', '/v1/me', '/nowhere']) {
    it(`limits ${path} to pages of its own origin`, async () => {
      const answer = await server.get(path, PAGE);
      expect(corsHeaders(answer)).to.deep.equal({});
      expect(answer.headers.get('cross-origin-resource-policy')).to.equal('same-origin');
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(answer.status).to.equal(403);
    });
  }

  it('responds to other OPTIONS requests with the allowed methods', async () => {
    const answer = await server.get('/health', { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    expect((await server.get('/nowhere', { method: 'OPTIONS' })).status).to.equal(404);
  });

  it('permits only listed origins to read', async () => {
    const cors = { enabled: true, allowedOrigins: ['https://editor.example', 'https://other.example'] };
    const listing = await startServer({ config: { cors } });
    const listed = await listing.get(LIST, PAGE);
    const stranger = await listing.get(LIST, { headers: { origin: 'https://stranger.example' } });
    expect(stranger.status).to.equal(403);
    const refused = await listing.get('/registry/none/v0.1/servers', PAGE);
    const allowed = [listed, stranger, refused].map((answer) =>
      answer.headers.get('access-control-allow-origin'),
    );
    expect(allowed).to.deep.equal(['https://editor.example', null, 'https://editor.example']);
    for (const answer of [listed, refused]) expect(answer.headers.get('vary')).to.include('Origin');
    await listing.close();
  });

  it('has no effect when it is off', async () => {
    const off = await startServer({ config: { cors: { enabled: false, allowedOrigins: ['*'] } } });
    expect((await off.get(LIST, PAGE)).status).to.equal(403);
    const answer = await off.get(LIST);
    expect(corsHeaders(answer)).to.deep.equal({});
    expect(answer.headers.get('cross-origin-resource-policy')).to.equal('same-origin');
    expect((await off.get(LIST, { method: 'OPTIONS' })).status).to.equal(204);
    await off.close();
  });
});
