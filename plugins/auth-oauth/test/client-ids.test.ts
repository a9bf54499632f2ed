import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { findClaimFaults } from '../src/tokens/check-claims.ts';
import { checkSettings } from '../src/config/check-settings.ts';
import type { ListedProvider } from '../src/index.ts';
import { configOf, type OauthUnderTest, startOauth } from './support/oauth-under-test.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Claims that Amazon Cognito puts into access tokens; they have no `aud`. */
const COGNITO = { aud: undefined, client_id: 'app', token_use: 'access', 'cognito:groups': ['staff'] };

describe('clientIds (fastmcp 3739, apollo-mcp-server 640)', () => {
  let issuer: TestIssuer;
  let oauth: OauthUnderTest | undefined;
  before(async () => {
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth?.clock.clock() ?? new Date() });
  });
  afterEach(async () => {
    await oauth?.close();
    oauth = undefined;
  });
  after(() => issuer.close());

  const provider = (more: Partial<ListedProvider>): ListedProvider => ({
    name: 'cognito',
    issuerUrl: issuer.issuerUrl,
    allowPrivateIP: true,
    ...more,
  });

  async function judge(more: Partial<ListedProvider>, claims: Claims): Promise<string> {
    oauth = await startOauth(configOf(provider(more)));
    const token = issuer.sign(claims);
    const { status } = await oauth.send(token);
    const [verdict] = (await oauth.auth.explainToken?.(token)) ?? [];
    expect(verdict?.accepted).to.equal(status === 200);
    return `${status} ${verdict?.because}`;
  }

  const alone = { clientIds: ['app', 'other-app'] };
  const both = { ...alone, audience: 'portolan' };
  const accepted: readonly (readonly [string, Partial<ListedProvider>, Claims])[] = [
    ['an access token of Cognito', alone, COGNITO],
    ['azp, when there is no client_id (Keycloak)', alone, { aud: undefined, azp: 'other-app' }],
    ['cid, when there is neither (Okta)', alone, { aud: undefined, cid: 'app' }],
    ['client_id and audience, when both are named', both, { client_id: 'app' }],
    ['cid and one of several audiences', both, { aud: ['x', 'portolan'], cid: 'app' }],
  ];
  for (const [title, settings, claims] of accepted) {
    it(`accepts ${title}`, async () => {
      const client = settings.audience === undefined ? 'client' : 'audience, client';
      expect(await judge(settings, claims)).to.include(
        `200 The token is accepted: signature, issuer, ${client} and times`,
      );
    });
  }

  const refused: readonly (readonly [string, Partial<ListedProvider>, Claims, string])[] = [
    [
      'another client',
      alone,
      { ...COGNITO, client_id: 'shop' },
      'its client (client_id) "shop" is none of ["app","other-app"]',
    ],
    [
      'azp of the list beside another client_id',
      alone,
      { ...COGNITO, client_id: 'shop', azp: 'app' },
      '(client_id) "shop"',
    ],
    [
      'cid of the list beside another azp',
      alone,
      { aud: undefined, azp: 'shop', cid: 'app' },
      '(azp) "shop"',
    ],
    ['a longer client', alone, { ...COGNITO, client_id: 'app2' }, '(client_id) "app2"'],
    ['a list as the client', alone, { ...COGNITO, client_id: ['app'] }, '(client_id) ["app"]'],
    ['an empty client_id beside azp', alone, { ...COGNITO, client_id: '', azp: 'app' }, '(client_id) ""'],
    ['no client', alone, { aud: undefined }, 'it names no client (client_id, azp, cid)'],
    [
      'a token of the client for another API',
      alone,
      { ...COGNITO, aud: 'shop' },
      'its audience is "shop", and with clientIds alone',
    ],
    ['an ID token, which is for the client', alone, { aud: 'app', token_use: 'id' }, 'its audience is "app"'],
    ['an empty audience', alone, { ...COGNITO, aud: [] }, 'its audience is []'],
    [
      'the client for another audience',
      both,
      { client_id: 'app', aud: 'shop' },
      'its audience "shop" does not contain "portolan"',
    ],
    ['another client for the audience', both, { client_id: 'shop' }, '(client_id) "shop"'],
    [
      'no audience, when both are named',
      both,
      COGNITO,
      'its audience (left out) does not contain "portolan"',
    ],
  ];
  for (const [title, settings, claims, because] of refused) {
    it(`refuses ${title}, with a reason`, async () => {
      const text = await judge(settings, claims);
      expect(text)
        .to.match(/^401 The token is refused: /)
        .and.to.include(because);
      expect(oauth?.reasons().join()).to.match(/audience|client/);
    });
  }

  it('applies clientIds to introspected tokens', () => {
    const expected = { issuerUrl: undefined, audience: undefined, clientIds: ['app'] };
    const reasons = (claims: Claims): readonly string[] =>
      findClaimFaults({ sub: 'ada', ...claims }, expected, new Date()).map(({ reason }) => reason);
    expect(reasons({ client_id: 'app' })).to.deep.equal([]);
    expect(reasons({ client_id: 'shop' })).to.deep.equal(['client']);
    expect(reasons({ client_id: 'app', aud: 'x' })).to.deep.equal(['audience']);
  });

  describe('when settings are checked', () => {
    const check = (...providers: readonly Partial<ListedProvider>[]): readonly string[] =>
      checkSettings(configOf(...providers.map((more, index) => ({ ...provider(more), name: `p${index}` }))), {
        directory: import.meta.dirname,
        trustsLoopback: true,
      }).map(({ place, found, expected }) => `${place}: ${found}; ${expected}`);
    const same =
      'issuer, audience and clients of providers[0]; another issuer, another audience or other clients';

    it('accepts clientIds with or without an audience', () => {
      expect(check(alone)).to.deep.equal([]);
      expect(check(both)).to.deep.equal([]);
      expect(check({})).to.deep.equal(['providers[0].audience: nothing; a value, or clientIds']);
    });

    it('distinguishes two providers of one issuer, unless they share a client', () => {
      expect(check({ clientIds: ['a'] }, { clientIds: ['b'] })).to.deep.equal([]);
      expect(check({ clientIds: ['a'] }, { clientIds: ['b', 'a'] })).to.deep.equal([`providers[1]: ${same}`]);
      expect(check({ audience: 'x' }, { audience: 'x', clientIds: ['a'] })).to.deep.equal([
        `providers[1]: ${same}`,
      ]);
      expect(check({ clientIds: ['a'] }, { audience: 'x', clientIds: ['a'] })).to.deep.equal([]);
    });

    it('refuses clientIds together with anyAudience', () => {
      const block = { name: 'oidc', issuerUrl: 'https://id.example', anyAudience: true, clientIds: ['a'] };
      const { providers: _none, ...config } = configOf();
      const settings = { ...config, provider: { ...block, allowPrivateIP: false } };
      const problems = checkSettings(settings, { directory: '/', trustsLoopback: false });
      expect(problems).to.deep.equal([
        {
          place: 'provider.anyAudience',
          found: 'true together with clientIds',
          expected: 'only one of the two',
        },
      ]);
    });
  });
});
