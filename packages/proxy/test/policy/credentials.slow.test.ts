import { createHash } from 'node:crypto';
import type { OutgoingCredentials, ProxyMiddleware } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { McpClient } from '../support/mcp-client.ts';
import { Proxies, type TestProxyOptions } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speakHttp } from '../support/spoken-to.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plain","arguments":{}}}';
const HEADERS = { 'Content-Type': 'application/json', Authorization: 'Bearer of-the-client' };

describe('credentials for an HTTP server', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  async function open(prove: OutgoingCredentials['credentials'] | undefined, options: TestProxyOptions = {}) {
    const backend = await HttpBackendUnderTest.start(speakHttp);
    backends.push(backend);
    const { url } = await proxies.open(
      {
        carries: 'http',
        transport: 'streamable-http',
        target: new URL('/mcp?team=a', backend.url),
        isRemote: true,
        ...(prove === undefined ? {} : { credentials: { credentials: prove } }),
      },
      options,
    );
    return { url, backend };
  }

  it('are requested for each request, and replace those of the client', async () => {
    let count = 0;
    const { url, backend } = await open(async ({ method, url: to, headers, bodyHash }) => {
      count += 1;
      expect([to.pathname + to.search, headers['x-own'], headers['connection']]).to.deep.equal([
        '/mcp?team=a',
        'kept',
        undefined,
      ]);
      return [
        { name: 'Authorization', value: `Signed ${method} ${count}` },
        { name: 'X-Hash', value: await bodyHash() },
      ];
    });
    for (const body of [CALL, `${CALL} `]) {
      await send(url, { method: 'POST', headers: { ...HEADERS, 'X-Own': 'kept' }, body });
      const got = backend.received.at(-1);
      expect(got?.headers.authorization).to.equal(`Signed POST ${count}`);
      expect(got?.headers['x-hash']).to.equal(createHash('sha256').update(body).digest('hex'));
      expect(got?.body.toString()).to.equal(body);
    }
    await send(url, { method: 'DELETE', headers: { 'X-Own': 'kept' } });
    expect(backend.received.at(-1)?.headers.authorization).to.equal('Signed DELETE 3');
    expect(backend.received.at(-1)?.headers['x-hash']).to.equal(createHash('sha256').digest('hex'));
  });

  it('refused by their source become a JSON-RPC error without a challenge', async () => {
    const { url, backend } = await open(() => {
      throw Object.assign(new Error('Log in again.'), {
        status: 401,
        expose: true,
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    });
    const answer = await send(url, { method: 'POST', headers: HEADERS, body: CALL });
    expect([answer.status, answer.headers['www-authenticate'], answer.json]).to.deep.equal([
      200,
      undefined,
      { jsonrpc: '2.0', id: 1, error: { code: 403, message: 'Log in again.' } },
    ]);
    const ended = await send(url, { method: 'DELETE' });
    expect([ended.status, ended.headers['www-authenticate']]).to.deep.equal([403, undefined]);
    const told = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    expect((await send(url, { method: 'POST', headers: HEADERS, body: told })).status).to.equal(202);
    expect(backend.received).to.deep.equal([]);
  });

  it('that are temporarily unavailable become 503 with Retry-After', async () => {
    const { url } = await open(() => {
      throw Object.assign(new Error('Later.'), {
        status: 503,
        expose: true,
        headers: { 'Retry-After': '9' },
      });
    });
    const answer = await send(url, { method: 'POST', headers: HEADERS, body: CALL });
    expect([answer.status, answer.headers['retry-after'], answer.json.id]).to.deep.equal([503, '9', 1]);
  });

  it('may not set headers of the connection', async () => {
    for (const name of ['Host', 'Content-Length', 'Connection', 'bad name']) {
      const { url, backend } = await open(() => [{ name, value: '1' }]);
      const { status, json } = await send(url, { method: 'POST', headers: HEADERS, body: CALL });
      expect([status, json.error.code], name).to.deep.equal([200, -32603]);
      expect(backend.received).to.deep.equal([]);
    }
  });

  it('that are invalid headers become an error without their value, and nothing is sent', async () => {
    const wrong: readonly unknown[] = [
      undefined,
      'Bearer secret-1',
      { Authorization: 'Bearer secret-1' },
      [null],
      [{ name: 'Authorization' }],
      [{ name: 'Authorization', value: 7 }],
      [['Authorization', 'Bearer secret-1']],
      [{ name: 'Authorization', value: 'Bearer secret-1\r\nHost: other' }],
    ];
    for (const given of wrong) {
      // Plugins in JavaScript can return wrong types.
      const { url, backend } = await open((() => given) as unknown as OutgoingCredentials['credentials']);
      const answer = await send(url, { method: 'POST', headers: HEADERS, body: CALL });
      expect([answer.status, answer.json.error.code], JSON.stringify(given)).to.deep.equal([200, -32603]);
      expect(answer.text).to.not.include('secret-1');
      expect(backend.received).to.deep.equal([]);
    }
  });

  it('of middleware depend on the message, also in a batch, and on the caller', async () => {
    const exchanger: ProxyMiddleware = {
      credentials: async ({ bodyHash }, { message, caller }) => [
        { name: 'X-For', value: `${caller?.subject} ${message?.kind === 'request' ? message.id : 'none'}` },
        { name: 'X-Hash', value: await bodyHash() },
      ],
    };
    const { url, backend } = await open(undefined, {
      middleware: [{ name: 'exchange', placed: 'exchange', instance: exchanger }],
      authProvider: {
        verify: (_ctx, next) => next(),
        identify: () => ({ subject: 'ada', claims: {} }),
      },
    });
    const batch = `[${CALL},${CALL.replace('"id":1', '"id":"b"')}]`;
    const answer = await new McpClient(url).post(batch, { accept: 'application/json' });
    expect(answer.json).to.have.length(2);
    expect(backend.received.map(({ headers }) => headers['x-for'])).to.have.members(['ada 1', 'ada "b"']);
    for (const { headers, body } of backend.received) {
      expect(headers['x-hash']).to.equal(createHash('sha256').update(body).digest('hex'));
    }
  });

  it('are rejected when the proxy opens with a stdio server', async () => {
    const servers = new ScriptedServers();
    const exchanger: ProxyMiddleware = { credentials: () => [] };
    const opening = proxies.open(servers.backend(), {
      middleware: [{ name: 'exchange', placed: 'exchange', instance: exchanger }],
    });
    const error: unknown = await opening.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.have.property('code', 'ERR_PROXY_MIDDLEWARE');
    expect(servers.all).to.deep.equal([]);
  });
});
