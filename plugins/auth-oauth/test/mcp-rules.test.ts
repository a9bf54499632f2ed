import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { OauthConfig, ProviderConfig } from '../src/index.ts';
import { MCP_TIMING } from '../src/timing.ts';
import { NOW_S, type OauthUnderTest, startOauth } from './support/oauth-under-test.ts';

const RESOURCE = 'https://mcp.acme.example/weather';
const METADATA = 'resource_metadata="https://mcp.acme.example/.well-known/oauth-protected-resource/weather"';

/** What stands before a workload: MCP's rules, and a provider of which less may be known. */
describe('authentication in front of a workload', () => {
  let issuer: TestIssuer;
  let oauth: OauthUnderTest;
  let folder: string;
  let opened: { close(): Promise<void> }[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-oauth-'));
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    opened = [issuer];
  });
  afterEach(async () => {
    for (const each of opened.toReversed()) await each.close();
    await rm(folder, { recursive: true });
  });

  async function open(
    provider: Partial<ProviderConfig>,
    more: Partial<OauthConfig> = {},
  ): Promise<OauthUnderTest> {
    const whole = {
      name: 'workload',
      anyAudience: provider.audience === undefined,
      allowPrivateIP: true,
      ...provider,
    };
    const config: OauthConfig = {
      realm: issuer.issuerUrl,
      resourceUrl: RESOURCE,
      scopes: [],
      mcpRules: true,
      allowInsecureIssuers: false,
      provider: whole,
      ...more,
    };
    oauth = await startOauth(config, { ...MCP_TIMING, backOffMs: [] });
    opened.push(oauth);
    return oauth;
  }
  const usual = (): Partial<ProviderConfig> => ({ issuerUrl: issuer.issuerUrl, audience: 'portolan' });

  const challenges: readonly {
    readonly title: string;
    readonly authorization: (issuer: TestIssuer) => string | undefined;
    readonly status: number;
    readonly error?: string;
    readonly because?: string;
  }[] = [
    { title: 'nothing', authorization: () => undefined, status: 401 },
    { title: 'another scheme', authorization: () => 'Basic YTpi', status: 401 },
    { title: 'a scheme that only begins so', authorization: () => 'Bearers x', status: 401 },
    {
      title: 'a bearer token that is none',
      authorization: () => 'Bearer a b',
      status: 400,
      error: 'invalid_request',
      because: 'missing or malformed authorization header',
    },
    {
      title: 'the scheme alone',
      authorization: () => 'bearer',
      status: 400,
      error: 'invalid_request',
      because: 'missing or malformed authorization header',
    },
    {
      title: 'an expired token',
      authorization: (by) => `Bearer ${by.sign({ exp: NOW_S - 61 })}`,
      status: 401,
      error: 'invalid_token',
      because: 'token is expired',
    },
    {
      title: 'a token for somebody else',
      authorization: (by) => `Bearer ${by.sign({ aud: 'shop' })}`,
      status: 401,
      error: 'invalid_token',
      because: 'token is for another audience',
    },
    {
      title: 'a token of somebody else',
      authorization: (by) => `Bearer ${by.sign({ iss: 'https://evil.example' })}`,
      status: 401,
      error: 'invalid_token',
      because: 'token is of another issuer',
    },
    {
      title: 'a token without end',
      authorization: (by) => `Bearer ${by.sign({ exp: undefined })}`,
      status: 401,
      error: 'invalid_token',
      because: 'token validation failed',
    },
    {
      title: 'a token without subject',
      authorization: (by) => `Bearer ${by.sign({ sub: undefined })}`,
      status: 401,
      error: 'invalid_token',
      because: 'token validation failed',
    },
  ];
  for (const { title, authorization, status, error, because } of challenges) {
    it(`responds to ${title} with ${status}`, async () => {
      await open(usual(), { scopes: ['weather.read', 'offline_access'] });
      const value = authorization(issuer);
      const answer = await oauth.sendHeaders(value === undefined ? undefined : { authorization: value });
      const what = error === undefined ? '' : `error="${error}", error_description="${because}", `;
      expect(answer).to.include({
        status,
        challenge: `Bearer realm="${issuer.issuerUrl}", ${what}${METADATA}, scope="weather.read"`,
      });
    });
  }

  it('omits realm, metadata and scope from the challenge when there are none', async () => {
    const { introspectionUrl } = issuer;
    await open({ introspectionUrl }, { realm: '' });
    expect((await oauth.sendHeaders(undefined)).challenge).to.equal(`Bearer ${METADATA}`);
    expect(oauth.auth.protectedResource?.authorizationServers).to.deep.equal([]);
  });

  for (const { title, provider, accepts } of [
    {
      title: 'an issuer and any audience',
      provider: (by: TestIssuer) => ({ issuerUrl: by.issuerUrl }),
      accepts: { jwt: true, foreign: false, elsewhere: true, opaque: false },
    },
    {
      title: 'keys alone',
      provider: (by: TestIssuer) => ({ jwksUrl: by.jwksUrl }),
      accepts: { jwt: true, foreign: true, elsewhere: true, opaque: false },
    },
    {
      title: 'keys and an audience',
      provider: (by: TestIssuer) => ({ jwksUrl: by.jwksUrl, audience: 'portolan' }),
      accepts: { jwt: true, foreign: true, elsewhere: false, opaque: false },
    },
    {
      title: 'an issuer with a configured address of keys',
      provider: (by: TestIssuer) => ({ issuerUrl: by.issuerUrl, jwksUrl: by.jwksUrl, clientId: 'mine' }),
      accepts: { jwt: true, foreign: false, elsewhere: true, opaque: false },
    },
    {
      title: 'introspection alone, of all tokens',
      provider: (by: TestIssuer) => ({ introspectionUrl: by.introspectionUrl }),
      accepts: { jwt: false, foreign: false, elsewhere: false, opaque: true },
    },
    {
      title: 'an introspection endpoint of the discovery document',
      provider: (by: TestIssuer) => ({ issuerUrl: by.issuerUrl, clientId: 'mine', clientSecret: 'hush' }),
      accepts: { jwt: true, foreign: false, elsewhere: true, opaque: true },
    },
  ]) {
    it(`accepts or refuses tokens with settings for ${title}`, async () => {
      await open(provider(issuer));
      const good = async (token: string): Promise<boolean> => (await oauth.send(token)).status === 200;
      expect({
        jwt: await good(issuer.sign()),
        foreign: await good(issuer.sign({ iss: 'https://other.example' })),
        elsewhere: await good(issuer.sign({ aud: 'shop' })),
        opaque: await good(issuer.issueOpaque()),
      }).to.deep.equal(accepts);
      if ('jwksUrl' in provider(issuer)) expect(issuer.count('discovery')).to.equal(0);
    });
  }

  it('requests the discovery document once for many opaque tokens, and authenticates with the client secret', async () => {
    await open({ issuerUrl: issuer.issuerUrl, clientId: 'mine', clientSecret: 'hush' });
    const tokens = Array.from({ length: 20 }, () => issuer.issueOpaque());
    const answers = await Promise.all(tokens.map((token) => oauth.send(token)));
    expect(answers.map(({ status }) => status)).to.deep.equal(tokens.map(() => 200));
    expect(issuer.count('discovery')).to.equal(1);
    const asked = issuer.requests.find(({ endpoint }) => endpoint === 'introspection');
    expect(asked?.authorization).to.equal(`Basic ${Buffer.from('mine:hush').toString('base64')}`);
  });

  it('responds with 503 while the discovery for introspection fails, and retries soon', async () => {
    await open({ issuerUrl: issuer.issuerUrl, clientId: 'mine' });
    issuer.takeDown();
    const token = issuer.issueOpaque();
    expect((await oauth.send(token)).status).to.equal(503);
    issuer.bringUp();
    expect((await oauth.send(token)).status).to.equal(503);
    oauth.clock.advance(MCP_TIMING.failureMs);
    expect((await oauth.send(token)).status).to.equal(200);
  });

  it('authenticates with a token file when there is no client, and reads it for each request', async () => {
    const authTokenFile = join(folder, 'token');
    await writeFile(authTokenFile, 'first\n');
    await open({ ...usual(), introspectionUrl: issuer.introspectionUrl, authTokenFile });
    await oauth.send(issuer.issueOpaque());
    await writeFile(authTokenFile, 'the second\n');
    await oauth.send(issuer.sign());
    expect(
      issuer.requests.map(({ endpoint, authorization }) => `${endpoint} ${authorization}`),
    ).to.deep.equal(['introspection Bearer first', 'discovery Bearer the second', 'jwks Bearer the second']);
  });

  it('accepts a new key at once, and fetches for invented ones once a minute', async () => {
    await open(usual());
    expect((await oauth.send(issuer.sign())).status).to.equal(200);
    await issuer.rotateKeys();
    expect((await oauth.send(issuer.sign({ sub: 'after' }))).status).to.equal(200);
    expect(issuer.count('jwks')).to.equal(2);
    for (let made = 0; made < 200; made += 1) {
      expect(
        (await oauth.send(issuer.sign({ jti: String(made) }, { kid: `made-up-${made}` }))).status,
      ).to.equal(401);
    }
    expect(issuer.count('jwks')).to.equal(3);
    oauth.clock.advance(MCP_TIMING.strangerMs);
    await oauth.send(issuer.sign({}, { kid: 'made-up' }));
    expect(issuer.count('jwks')).to.equal(4);
  });

  it('refuses tokens of a removed key', async () => {
    await open(usual());
    const token = issuer.sign();
    expect((await oauth.send(token)).status).to.equal(200);
    await issuer.rotateKeys();
    await oauth.send(issuer.sign({ sub: 'after' }));
    expect((await oauth.send(token)).status).to.equal(401);
  });
});
