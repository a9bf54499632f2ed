import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { RemoteLogin } from '../../src/request/proxy-options.ts';
import type { RequestContext } from '../../src/request/request-state.ts';
import { ClientLogins } from '../../src/transparent/client-logins.ts';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { send } from '../support/http-client.ts';
import { Proxies } from '../support/proxy-under-test.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

describe('challenges of a remote for the login of clients', () => {
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  type Asked = Parameters<RemoteLogin['find']>[0];

  /**
   * Opens a proxy of a remote that responds with a challenge, and records the lookups of the remote's
   * metadata.
   */
  async function open(challenge: string | undefined, status = 401, isJudged = false) {
    const backend = await HttpBackendUnderTest.start((_request, response) =>
      response
        .writeHead(status, {
          ...(challenge === undefined ? {} : { 'WWW-Authenticate': challenge }),
          'Content-Type': 'application/json',
        })
        .end('{}'),
    );
    backends.push(backend);
    const asked: Asked[] = [];
    const remoteLogin: RemoteLogin = {
      workload: 'notes',
      find: async (question) => {
        asked.push(question);
        return await Promise.resolve({ authorizationServers: ['https://id.example'], scopes: [] });
      },
    };
    const instance = { onResponse: () => undefined };
    const { url } = await proxies.open(
      { carries: 'http', transport: 'streamable-http', target: new URL('/mcp', backend.url), isRemote: true },
      {
        remoteLogin,
        ...(isJudged ? { middleware: [{ name: 'watches', placed: 'observe', instance }] } : {}),
      },
    );
    return {
      url: url.href,
      asked,
      own: `resource_metadata="${new URL(url).origin}/.well-known/oauth-protected-resource/mcp"`,
    };
  }

  const post = async (url: string, more: Readonly<Record<string, string>> = {}) =>
    await send(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...more }, body: BODY });

  const THEIRS = 'resource_metadata="https://remote.example/metadata"';
  const cases: readonly (readonly [string | undefined, (own: string) => string])[] = [
    [`Bearer ${THEIRS}`, (own) => `Bearer ${own}`],
    [
      `Bearer error="invalid_token", ${THEIRS}, scope="a"`,
      (own) => `Bearer error="invalid_token", ${own}, scope="a"`,
    ],
    ['Bearer resource_metadata=https://remote.example/m', (own) => `Bearer ${own}`],
    ['bearer', (own) => `Bearer ${own}`],
    ['Bearer realm="x"', (own) => `Bearer ${own}, realm="x"`],
    ['Basic realm="x", Bearer scope="a"', (own) => `Basic realm="x", Bearer ${own}, scope="a"`],
    ['Basic realm="x"', () => 'Basic realm="x"'],
    [undefined, (own) => `Bearer ${own}`],
  ];
  for (const isJudged of [false, true]) {
    for (const [challenge, expected] of cases) {
      it(`point to the metadata of the proxy in ${challenge ?? 'a response without a challenge'}${isJudged ? ', with a policy' : ''}`, async () => {
        const { url, own } = await open(challenge, 401, isJudged);
        const { status, headers } = await post(url);
        expect([status, headers['www-authenticate']]).to.deep.equal([401, expected(own)]);
      });
    }
  }

  it('point to the metadata of the proxy in a 403 for missing scopes, and are not added to a 403 without a challenge', async () => {
    const lacking = await open(`Bearer error="insufficient_scope", scope="b", ${THEIRS}`, 403);
    expect((await post(lacking.url)).headers['www-authenticate']).to.equal(
      `Bearer error="insufficient_scope", scope="b", ${lacking.own}`,
    );
    const plain = await open(undefined, 403);
    expect((await post(plain.url)).headers['www-authenticate']).to.equal(undefined);
  });

  it('decide from which address the proxy fetches the metadata of the remote', async () => {
    const { url, asked } = await open(`Bearer ${THEIRS}`);
    await post(url);
    await send(new URL('/.well-known/oauth-protected-resource/mcp', url).href, { method: 'GET' });
    expect(asked).to.deep.equal([{ metadataUrl: 'https://remote.example/metadata', wasRefused: true }]);
  });

  it('pass unchanged while no client has read the metadata', async () => {
    const { url, own } = await open(`Bearer error="invalid_token", ${THEIRS}`);
    const refused = await post(url, { Authorization: 'Bearer theirs' });
    expect([refused.status, refused.headers['www-authenticate']]).to.deep.equal([
      401,
      `Bearer error="invalid_token", ${own}`,
    ]);
  });
});

describe('ClientLogins', () => {
  /** Opens logins at a remote, and records the time and the number of metadata requests. */
  function open() {
    const seen = { nowMs: 0, asked: 0 };
    const logins = new ClientLogins({
      backend: {
        carries: 'http',
        transport: 'streamable-http',
        target: new URL('https://remote.example/mcp'),
        isRemote: true,
      },
      login: {
        workload: 'notes',
        find: async () => {
          seen.asked += 1;
          return await Promise.resolve({ authorizationServers: ['https://id.example'], scopes: [] });
        },
      },
      address: {
        resource: 'https://notes.example/mcp',
        clientPath: '/mcp',
        endpointPrefix: undefined,
        trustProxyHeaders: false,
      },
      origins: {
        host: '127.0.0.1',
        listensOnLoopback: true,
        allowedOrigins: [],
        resourceUrl: undefined,
        trustProxyHeaders: false,
      },
      nowMs: () => seen.nowMs,
      logger: createRecordingLogger(),
    });
    return { seen, logins };
  }

  function contextOf(headers: Readonly<Record<string, string>>): RequestContext {
    // SAFETY: ClientLogins uses only these members, and sets the body.
    return {
      method: 'GET',
      req: { headers },
      get: () => '',
      vary: () => undefined,
    } as unknown as RequestContext;
  }

  const readMetadata = async (logins: ClientLogins): Promise<void> =>
    await logins.servedPaths[0]?.respond(contextOf({}));
  const respond = (logins: ClientLogins, token: string, status: number): Error | undefined =>
    logins.findFailure(contextOf({ authorization: `Bearer ${token}` }), status, { provenBy: 'client' });

  it('treats a refused token as a failed login until ten minutes after the metadata was read', async () => {
    const { seen, logins } = open();
    expect(respond(logins, 'unknown', 401)).to.equal(undefined);
    await readMetadata(logins);
    seen.nowMs = 600_000 - 1;
    expect(respond(logins, 'unknown', 401))
      .to.be.an('error')
      .with.property('message')
      .that.includes('notes');
    seen.nowMs = 600_000;
    expect(respond(logins, 'unknown', 401)).to.equal(undefined);
  });

  it('remembers the last 1,000 tokens that the remote accepted', async () => {
    const { logins } = open();
    await readMetadata(logins);
    for (let at = 0; at <= 1000; at += 1) respond(logins, `token-${at}`, 200);
    expect(respond(logins, 'token-0', 401)).to.be.an('error');
    expect(respond(logins, 'token-1', 401)).to.equal(undefined);
  });

  it('caches the metadata of the remote for one minute', async () => {
    const { seen, logins } = open();
    for (const nowMs of [0, 59_999, 60_000, 60_001]) {
      seen.nowMs = nowMs;
      await readMetadata(logins);
    }
    expect(seen.asked).to.equal(2);
  });
});
