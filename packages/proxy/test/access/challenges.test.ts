import { askServer } from '@portolan/mcp-client';
import { OwnRequests } from '@portolan/mcp-protocol';
import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak, speakHttp } from '../support/spoken-to.ts';
import { refusal, tokenProvider } from '../support/token-provider.ts';

const ISSUER = 'https://id.acme.example';
const ADA = { subject: 'ada', claims: { iss: ISSUER, sub: 'ada' } };
const WHERE = { authorizationServers: [ISSUER] };
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

describe('openProxy with an auth provider', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  const stdio = (mode: 'sse' | 'streamable-http' = 'streamable-http'): ServerBackend =>
    new ScriptedServers({ received: speak }).backend({ mode });
  async function startHttp(): Promise<HttpBackendUnderTest> {
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    return backend;
  }
  const over = (backend: HttpBackendUnderTest, isRemote = false): ServerBackend => ({
    carries: 'http',
    transport: 'streamable-http',
    target: new URL('/mcp', backend.url),
    isRemote,
  });
  const guarded = (more: TestProxyOptions = {}): TestProxyOptions => ({
    authProvider: tokenProvider({ good: ADA }, WHERE),
    ...more,
  });

  it('sends 401 with an OAuth challenge that names the metadata when a request has no token (F01)', async () => {
    const { url, origin } = await proxies.open(stdio(), guarded());
    for (const method of ['POST', 'GET', 'DELETE']) {
      const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream' };
      const answer = await send(url, { method, headers, ...(method === 'POST' ? { body: '{"id":1}' } : {}) });
      expect(answer.status, method).to.equal(401);
      expect(answer.headers['www-authenticate']).to.equal(
        `Bearer realm="r", resource_metadata="${origin}${WELL_KNOWN}/mcp"`,
      );
      expect(answer.headers['content-type']).to.equal('application/json');
      expect(answer.json).to.deep.equal({
        error: 'invalid_request',
        error_description: 'refused for a reason',
      });
    }
  });

  it('sends the error of the provider for an invalid token, and shows the token nowhere', async () => {
    const { url, logger } = await proxies.open(stdio(), guarded());
    const { status, json, text, headers } = await send(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer hunter2' },
      body: '{}',
    });
    expect([status, json]).to.deep.equal([
      401,
      { error: 'invalid_token', error_description: 'token is expired' },
    ]);
    expect(text + JSON.stringify(headers) + JSON.stringify(logger.lines)).not.to.include('hunter2');
  });

  for (const { title, error, status, body } of [
    {
      title: 'missing permissions (F04)',
      error: refusal(403, 'Bearer'),
      status: 403,
      body: 'insufficient_scope',
    },
    { title: 'an outage', error: refusal(503, 'Bearer'), status: 503, body: 'temporarily_unavailable' },
    { title: 'an unexpected error', error: new Error('hunter2'), status: 500, body: 'server_error' },
  ]) {
    it(`responds with status ${status} and ${body} to ${title}`, async () => {
      const authProvider = {
        ...tokenProvider({}, WHERE),
        verify: () => {
          throw error;
        },
      };
      const { url } = await proxies.open(stdio(), { authProvider });
      const answer = await send(url, { method: 'POST', body: '{}' });
      expect([answer.status, answer.json.error]).to.deep.equal([status, body]);
      expect(answer.text).not.to.include('hunter2');
    });
  }

  it('ignores tokens in the query, in cookies and in the message', async () => {
    const { url } = await proxies.open(stdio(), guarded());
    const params = { _meta: { authorization: 'Bearer good', access_token: 'good' } };
    const answer = await send(new URL('?access_token=good', url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: 'access_token=good; authorization=Bearer good' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params }),
    });
    expect(answer.status).to.equal(401);
  });

  const documents: readonly {
    readonly title: string;
    readonly backend: () => Promise<ServerBackend>;
    readonly options?: TestProxyOptions;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** Expected resource identifier, without the proxy's origin. */
    readonly resource: string;
  }[] = [
    { title: 'over stdio', backend: async () => stdio(), path: '', resource: '/mcp' },
    { title: 'at its own path', backend: async () => stdio(), path: '/mcp', resource: '/mcp' },
    { title: 'over HTTP+SSE', backend: async () => stdio('sse'), path: '/sse', resource: '/sse' },
    { title: 'over HTTP', backend: async () => over(await startHttp()), path: '/mcp', resource: '/mcp' },
    {
      title: 'behind a trusted proxy',
      backend: async () => stdio(),
      options: { trustProxyHeaders: true },
      path: '/weather/mcp',
      headers: {
        'X-Forwarded-Host': 'mcp.acme.example',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Prefix': '/weather',
      },
      resource: 'https://mcp.acme.example/weather/mcp',
    },
    {
      title: 'behind an untrusted proxy',
      backend: async () => stdio(),
      path: '',
      headers: { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
      resource: '/mcp',
    },
    {
      title: 'with a configured address',
      backend: async () => stdio(),
      options: {
        authProvider: tokenProvider({}, { ...WHERE, resource: 'https://mcp.acme.example/weather' }),
        resourceUrl: new URL('https://mcp.acme.example/weather'),
      },
      path: '/weather',
      headers: { Host: 'mcp.acme.example' },
      resource: 'https://mcp.acme.example/weather',
    },
  ];
  for (const { title, backend, options, path, headers = {}, resource } of documents) {
    it(`serves the resource metadata without a token: ${title} (F03)`, async () => {
      const { origin } = await proxies.open(await backend(), guarded(options));
      const url = `${origin}${WELL_KNOWN}${path}`;
      const { status, json } = await send(url, { headers });
      expect(status).to.equal(200);
      expect(json).to.deep.equal({
        resource: resource.startsWith('/') ? origin + resource : resource,
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
        scopes_supported: ['openid'],
      });
      const head = await send(url, { method: 'HEAD', headers });
      expect([head.status, head.text, head.headers['content-type']]).to.deep.equal([
        200,
        '',
        'application/json; charset=utf-8',
      ]);
      const posted = await send(url, { method: 'POST', headers, body: '{}' });
      expect([posted.status, posted.headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    });
  }

  it('lists the configured scopes in the resource metadata', async () => {
    const authProvider = tokenProvider({}, { ...WHERE, scopes: ['weather.read'] });
    const { origin } = await proxies.open(stdio(), { authProvider });
    const { json } = await send(origin + WELL_KNOWN);
    expect(json.scopes_supported).to.deep.equal(['weather.read']);
  });

  it('serves resource metadata for a configured address without an authorization server', async () => {
    const resource = 'https://mcp.acme.example/weather';
    const { url, origin } = await proxies.open(stdio(), {
      authProvider: tokenProvider({}, { resource, authorizationServers: [] }),
    });
    const { status, json } = await send(`${origin}${WELL_KNOWN}/weather`);
    expect([status, json]).to.deep.equal([
      200,
      { resource, bearer_methods_supported: ['header'], scopes_supported: ['openid'] },
    ]);
    const { headers } = await send(url, { method: 'POST', body: '{}' });
    expect(String(headers['www-authenticate'])).to.include(`https://mcp.acme.example${WELL_KNOWN}/weather`);
  });

  it('serves no resource metadata without an address and an authorization server, or without authentication', async () => {
    for (const options of [{}, { authProvider: tokenProvider({}, { authorizationServers: [] }) }]) {
      const { url, origin } = await proxies.open(stdio(), options);
      const { status, json } = await send(origin + WELL_KNOWN);
      expect([status, json]).to.deep.equal([404, { error: 'not_found' }]);
      const { headers } = await send(url, { method: 'POST', body: '{}' });
      expect(String(headers['www-authenticate'])).not.to.include('resource_metadata');
    }
  });

  it('refuses the metadata request when its Host could be forged by a web page (DNS rebinding)', async () => {
    const { origin } = await proxies.open(stdio(), guarded());
    const { status, text } = await send(origin + WELL_KNOWN, { headers: { Host: 'evil.example' } });
    expect(status).to.equal(403);
    expect(text).not.to.include('evil.example');
  });

  it('lets only pages of allowed origins read the resource metadata', async () => {
    const { origin } = await proxies.open(stdio(), guarded({ allowedOrigins: ['https://app.example'] }));
    const read = (from: string, method = 'GET') =>
      send(origin + WELL_KNOWN, {
        method,
        headers: {
          Origin: from,
          ...(method === 'OPTIONS'
            ? {
                'Access-Control-Request-Method': 'GET',
                'Access-Control-Request-Headers': 'mcp-protocol-version',
              }
            : {}),
        },
      });
    expect((await read('https://app.example')).headers['access-control-allow-origin']).to.equal(
      'https://app.example',
    );
    const evil = await read('https://evil.example');
    expect([evil.status, evil.headers['access-control-allow-origin']]).to.deep.equal([403, undefined]);
    const asked = await read('https://app.example', 'OPTIONS');
    expect([asked.status, asked.text]).to.deep.equal([204, '']);
    expect(asked.headers).to.include({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-methods': 'GET, OPTIONS',
      'access-control-allow-headers': 'mcp-protocol-version',
      'access-control-max-age': '86400',
      vary: 'Origin',
    });
    const refused = await read('https://evil.example', 'OPTIONS');
    expect([refused.status, refused.headers['access-control-allow-origin']]).to.deep.equal([403, undefined]);
  });

  for (const isRemote of [false, true]) {
    it(`does not forward the credentials of a client to ${isRemote ? 'a remote' : 'a container'} (F07)`, async () => {
      const backend = await startHttp();
      const { url } = await proxies.open(over(backend, isRemote), guarded());
      const headers = { Authorization: 'Bearer good', Cookie: 'a=b', 'X-Own': 'kept' };
      expect((await new McpClient(url).post(initialize(), { headers })).status).to.equal(200);
      backend.handle = (_request, response) => void response.end('a page');
      expect((await send(new URL('/page', url), { headers })).text).to.equal('a page');
      for (const got of backend.received) {
        expect(got.headers).not.to.have.any.keys('authorization', 'cookie');
        expect(got.headers['x-own']).to.equal('kept');
      }
      expect(backend.received).to.have.lengthOf(2);
    });
  }

  it('forwards credentials when callers do not authenticate to the proxy', async () => {
    const backend = await startHttp();
    const authProvider = {
      ...tokenProvider({}),
      verify: (_ctx: unknown, next: () => Promise<unknown>) => next(),
    };
    const everybody = { ...authProvider, identify: () => ADA };
    const { url } = await proxies.open(over(backend), { authProvider: everybody, callersProve: false });
    const headers = { Authorization: 'Bearer own', Cookie: 'a=b' };
    await new McpClient(url).post(initialize(), { headers });
    expect(backend.received[0]?.headers).to.include({ authorization: 'Bearer own', cookie: 'a=b' });
    // The session may date from before a restart, so the proxy leaves the decision to the server.
    const old = await new McpClient(url, 'of-before').post({ id: 1, method: 'ping' });
    expect(old.status).not.to.equal(404);
  });

  it('lets the supervisor check the server without a token', async () => {
    const backend = await startHttp();
    const own = new OwnRequests();
    const { url } = await proxies.open(over(backend), guarded({ ownRequests: own }));
    const ask = (ownRequests: OwnRequests) =>
      askServer({
        url,
        speaks: 'streamable-http',
        endpointPrefix: '',
        version: '0.0.0',
        ownRequests,
        signal: AbortSignal.timeout(40_000),
      });
    expect(await ask(new OwnRequests())).to.deep.equal({ outcome: 'refused' });
    expect(backend.received).to.deep.equal([]);
    expect(await ask(own)).to.deep.equal({ outcome: 'answered' });
    for (const { headers } of backend.received) expect(headers).to.not.have.property('portolan-own-request');
  });
});
