import { expect } from 'chai';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import {
  eventually,
  leavesNothingOpen,
  startTestIssuer,
  TEST_ALGORITHMS,
  type TestIssuer,
} from '../src/index.ts';

describe('startTestIssuer', () => {
  let issuer: TestIssuer;
  beforeEach(async () => {
    issuer = await startTestIssuer({ algorithm: 'ES256', path: '/realms/main' });
  });
  afterEach(() => issuer.close());

  async function keys(): Promise<ReturnType<typeof createLocalJWKSet>> {
    const response = await fetch(issuer.jwksUrl);
    // SAFETY: the issuer's own document, which the test is about.
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  }

  async function faultOf(token: string): Promise<string> {
    try {
      await jwtVerify(token, await keys(), { issuer: issuer.issuerUrl, audience: 'portolan' });
      return 'good';
    } catch (error) {
      return error instanceof errors.JOSEError ? error.code : String(error);
    }
  }

  for (const algorithm of TEST_ALGORITHMS) {
    it(`signs tokens with ${algorithm} that another library verifies`, async () => {
      const other = await startTestIssuer({ algorithm, audience: 'shop' });
      try {
        const set = createRemoteJWKSet(new URL(other.jwksUrl));
        const { payload, protectedHeader } = await jwtVerify(other.sign({ org: 'acme' }), set, {
          issuer: other.issuerUrl,
          audience: 'shop',
        });
        expect(payload).to.include({ sub: 'someone', org: 'acme' });
        expect(protectedHeader).to.deep.equal({ alg: algorithm, typ: 'at+jwt', kid: other.kid });
      } finally {
        await other.close();
      }
    });
  }

  it('serves its metadata', async () => {
    expect(await (await fetch(issuer.discoveryUrl)).json()).to.include({
      issuer: issuer.issuerUrl,
      jwks_uri: issuer.jwksUrl,
      introspection_endpoint: issuer.introspectionUrl,
    });
    expect(issuer.issuerUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+\/realms\/main$/);
  });

  for (const { title, make, expected } of [
    { title: 'a good one', make: () => issuer.sign(), expected: 'good' },
    { title: 'an expired one', make: () => issuer.sign({ exp: 1 }), expected: 'ERR_JWT_EXPIRED' },
    {
      title: 'another audience',
      make: () => issuer.sign({ aud: 'x' }),
      expected: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
    },
    {
      title: 'an unknown kid',
      make: () => issuer.sign({}, { kid: 'x' }),
      expected: 'ERR_JWKS_NO_MATCHING_KEY',
    },
    {
      title: 'the signature of a stranger',
      make: () => issuer.sign({}, { stranger: true }),
      expected: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    },
  ]) {
    it(`creates ${title}`, async () => {
      expect(await faultOf(make())).to.equal(expected);
    });
  }

  it('signs tokens with headers that no real issuer would send', () => {
    expect(decodeProtectedHeader(issuer.sign({}, { algorithm: 'none', kid: null, typ: null }))).to.deep.equal(
      { alg: 'none' },
    );
    expect(
      decodeProtectedHeader(issuer.sign({}, { algorithm: 'HS256', header: { jku: 'https://evil.example' } })),
    ).to.include({
      alg: 'HS256',
      jku: 'https://evil.example',
    });
  });

  it('publishes the new key after a rotation, and the old one only on request', async () => {
    const first = issuer.sign();
    const kid = await issuer.rotateKeys({ keepOld: true });
    expect(issuer.kid).to.equal(kid);
    expect([await faultOf(first), await faultOf(issuer.sign())]).to.deep.equal(['good', 'good']);
    await issuer.rotateKeys();
    expect([await faultOf(first), await faultOf(issuer.sign())]).to.deep.equal([
      'ERR_JWKS_NO_MATCHING_KEY',
      'good',
    ]);
  });

  it('reports its opaque tokens as active until they are revoked', async () => {
    const ask = async (token: string): Promise<unknown> => {
      const body = new URLSearchParams({ token });
      return (await fetch(issuer.introspectionUrl, { method: 'POST', body })).json();
    };
    const token = issuer.issueOpaque({ sub: 'ada' });
    expect(await ask(token)).to.include({ active: true, sub: 'ada', iss: issuer.issuerUrl });
    issuer.revoke(token);
    expect(await ask(token)).to.deep.equal({ active: false });
    expect(issuer.requests[0]).to.include({
      endpoint: 'introspection',
      method: 'POST',
      body: `token=${token}`,
    });
  });

  it('is unreachable during an outage, and returns at the same address', async () => {
    issuer.takeDown();
    expect(await fetch(issuer.jwksUrl).catch(() => 'gone')).to.equal('gone');
    issuer.bringUp();
    expect((await fetch(issuer.jwksUrl)).status).to.equal(200);
    expect(issuer.count('jwks')).to.equal(1);
  });

  it('delays responses, and releases them when the delay ends', async () => {
    issuer.setDelay(3_600_000);
    const answer = fetch(issuer.jwksUrl);
    await eventually(() => expect(issuer.count('jwks')).to.equal(1));
    issuer.setDelay(0);
    expect((await answer).status).to.equal(200);
  });

  it('replaces its responses with those that a test passes', async () => {
    issuer.replace('jwks', (_request, response) => void response.writeHead(500).end('no'));
    expect((await fetch(issuer.jwksUrl)).status).to.equal(500);
    issuer.replace('jwks', undefined);
    expect((await fetch(issuer.jwksUrl)).status).to.equal(200);
  });

  it('leaves nothing open, even during a delay', async () => {
    await leavesNothingOpen(async () => {
      const other = await startTestIssuer();
      other.setDelay(3_600_000);
      const answer = fetch(other.jwksUrl, { headers: { connection: 'close' } }).catch(() => 'gone');
      await eventually(() => expect(other.count('jwks')).to.equal(1));
      await other.close();
      expect(await answer).to.equal('gone');
    });
  });
});
