import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { configOf, NOW_S, type OauthUnderTest, providerOf, startOauth } from './support/oauth-under-test.ts';

describe('explainToken', () => {
  let issuer: TestIssuer;
  let other: TestIssuer;
  let oauth: OauthUnderTest;
  beforeEach(async () => {
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    other = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    oauth = await startOauth(
      configOf(
        providerOf(issuer),
        providerOf(other, { name: 'second', introspectionUrl: other.introspectionUrl }),
      ),
    );
  });
  afterEach(async () => {
    await oauth.close();
    await issuer.close();
    await other.close();
  });

  async function explain(token: string): Promise<readonly string[]> {
    const verdicts = (await oauth.auth.explainToken?.(token)) ?? [];
    for (const { because } of verdicts) expect(because).to.not.include(token);
    return verdicts.map(
      ({ provider, accepted, because }) => `${provider}: ${accepted ? 'yes' : 'no'}: ${because}`,
    );
  }

  it("reports which provider accepts the token, and the caller's identity", async () => {
    const verdicts = await oauth.auth.explainToken?.(issuer.sign({ sub: 'ada' }));
    expect(verdicts?.[0]).to.deep.include({
      provider: 'main',
      issuer: issuer.issuerUrl,
      accepted: true,
      because:
        'The token is accepted: signature, issuer, audience and times are good; it expires at 2026-06-01T12:05:00.000Z.',
    });
    expect(verdicts?.[0]?.identity).to.include({ subject: 'ada', provider: 'main' });
    expect(verdicts?.[1]).to.deep.equal({
      provider: 'second',
      issuer: other.issuerUrl,
      accepted: false,
      because: `The token is refused: its issuer "${issuer.issuerUrl}" is not "${other.issuerUrl}".`,
    });
  });

  for (const { title, make, expected } of [
    {
      title: 'expiry',
      make: () => issuer.sign({ exp: NOW_S - 3600 }),
      expected: 'it expired at 2026-06-01T11:00:00.000Z.',
    },
    {
      title: 'audience',
      make: () => issuer.sign({ aud: ['shop'] }),
      expected: 'its audience ["shop"] does not contain "portolan".',
    },
    {
      title: 'a missing audience',
      make: () => issuer.sign({ aud: undefined }),
      expected: 'its audience (left out) does not contain "portolan".',
    },
    {
      title: 'all that is wrong',
      make: () => issuer.sign({ aud: 'shop', exp: 1, sub: '' }),
      expected:
        'its audience "shop" does not contain "portolan"; it expired at 1970-01-01T00:00:01.000Z; its subject (sub) is ""; expected a string.',
    },
    {
      title: 'a time that is none',
      make: () => issuer.sign({ nbf: 1e300 }),
      expected: 'it is not valid before 1e+300 (nbf).',
    },
    {
      title: 'an unknown key',
      make: () => issuer.sign({}, { kid: 'old' }),
      expected: 'the provider publishes no key "old" for ES256.',
    },
    {
      title: 'the signature',
      make: () => issuer.sign({}, { stranger: true }),
      expected: 'its signature is wrong (invalid signature).',
    },
    {
      title: 'that it is opaque',
      make: () => 'opaque',
      expected: 'it is no JWT, and the provider has no introspectionUrl to look it up.',
    },
  ]) {
    it(`reports ${title}`, async () => {
      expect((await explain(make()))[0]).to.equal(`main: no: The token is refused: ${expected}`);
    });
  }

  for (const [claim, claims] of [
    [
      '_claim_names',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://g.example' } } },
    ],
    ['hasgroups', { hasgroups: true }],
  ] as const) {
    it(`reports and logs that a token with ${claim} has no groups (group overage of Entra)`, async () => {
      const token = issuer.sign(claims);
      const sentence = `The token has no groups: it has ${claim} instead`;
      expect((await explain(token))[0])
        .to.match(/^main: yes: /)
        .and.to.include(sentence);
      await oauth.send(token);
      expect(JSON.stringify(oauth.logger.lines)).to.include(sentence);
      const { identity } = (await oauth.auth.explainToken?.(token))?.[0] ?? {};
      expect(identity?.claims).to.not.have.property('groups');
    });
  }

  it('reports no group overage when the token has groups, or when only another claim is elsewhere', async () => {
    for (const claims of [{ groups: ['a'], hasgroups: true }, { _claim_names: { photo: 'src1' } }])
      expect((await explain(issuer.sign(claims)))[0]).to.not.include('no groups');
  });

  it('introspects opaque tokens', async () => {
    expect((await explain(other.issueOpaque()))[1]).to.equal(
      'second: yes: The token is accepted: introspection says that it is active.',
    );
    expect((await explain('made-up'))[1]).to.equal(
      'second: no: The token is refused: introspection says that it is not active.',
    );
  });

  it('reports that a token cannot be checked', async () => {
    issuer.takeDown();
    expect((await explain(issuer.sign()))[0]).to.match(
      /^main: no: The token cannot be checked: The keys of the provider are unavailable at the moment\. http:\/\/127\.0\.0\.1:\d+\/\.well-known\/openid-configuration cannot be requested: /,
    );
  });

  it('truncates long values', async () => {
    const [said = ''] = await explain(issuer.sign({ aud: 'x'.repeat(5000) }));
    expect(said.length).to.be.below(400);
  });
});
