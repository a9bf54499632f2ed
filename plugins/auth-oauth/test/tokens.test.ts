import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createTestContext,
  startTestIssuer,
  TEST_ALGORITHMS,
  type TestIssuer,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import { oauthAuth } from '../src/index.ts';
import { configOf, NOW_S, type OauthUnderTest, providerOf, startOauth } from './support/oauth-under-test.ts';

describe('token verification', () => {
  let issuer: TestIssuer;
  let other: TestIssuer;
  let oauth: OauthUnderTest;
  beforeEach(async () => {
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    other = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    oauth = await startOauth({
      ...configOf(providerOf(issuer), providerOf(other, { name: 'second', audience: 'shop' })),
      resourceUrl: 'https://registry.acme.example',
    });
  });
  afterEach(async () => {
    await oauth.close();
    await issuer.close();
    await other.close();
  });

  const evil = { jku: 'URL', x5u: 'URL', x5c: ['MIIB'], jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } };

  const refused: readonly { readonly title: string; readonly reason: string; readonly make: () => string }[] =
    [
      {
        title: 'one that is unsigned',
        reason: 'algorithm',
        make: () => issuer.sign({}, { algorithm: 'none' }),
      },
      {
        title: 'an unsigned one in other case',
        reason: 'algorithm',
        make: () => issuer.sign({}, { algorithm: 'none', header: { alg: 'nOnE' } }),
      },
      {
        title: 'one with the public key as HMAC secret',
        reason: 'algorithm',
        make: () => issuer.sign({}, { algorithm: 'HS256' }),
      },
      {
        title: 'one with EdDSA',
        reason: 'algorithm',
        make: () => issuer.sign({}, { header: { alg: 'EdDSA' } }),
      },
      {
        title: 'one without algorithm',
        reason: 'algorithm',
        make: () => issuer.sign({}, { header: { alg: undefined } }),
      },
      {
        title: 'one whose algorithm is a list',
        reason: 'algorithm',
        make: () => issuer.sign({}, { header: { alg: ['ES256'] } }),
      },
      {
        title: 'one with the algorithm of another type of key',
        reason: 'unknown-key',
        make: () => issuer.sign({}, { header: { alg: 'RS256' } }),
      },
      { title: 'one without kid', reason: 'key-id', make: () => issuer.sign({}, { kid: null }) },
      { title: 'one with an empty kid', reason: 'key-id', make: () => issuer.sign({}, { kid: '' }) },
      {
        title: 'one whose kid is a number',
        reason: 'key-id',
        make: () => issuer.sign({}, { header: { kid: 0 } }),
      },
      {
        title: 'one whose kid is a path',
        reason: 'unknown-key',
        make: () => issuer.sign({}, { kid: '../../../../dev/null' }),
      },
      {
        title: 'one whose kid is SQL',
        reason: 'unknown-key',
        make: () => issuer.sign({}, { kid: "' UNION SELECT 'key' --" }),
      },
      {
        title: 'one whose kid is a prototype key',
        reason: 'unknown-key',
        make: () => issuer.sign({}, { kid: '__proto__' }),
      },
      {
        title: 'one whose kid is an address',
        reason: 'unknown-key',
        make: () => issuer.sign({}, { kid: other.jwksUrl }),
      },
      {
        title: 'one signed by a stranger',
        reason: 'signature',
        make: () => issuer.sign({}, { stranger: true }),
      },
      {
        title: 'one signed by a stranger who sends the key along',
        reason: 'signature',
        make: () => issuer.sign({}, { stranger: true, header: evil }),
      },
      {
        title: 'one with other claims under an old signature',
        reason: 'signature',
        make: () =>
          forge(issuer.sign(), { iss: issuer.issuerUrl, aud: 'portolan', sub: 'root', exp: NOW_S + 60 }),
      },
      { title: 'one with a cut signature', reason: 'signature', make: () => issuer.sign().slice(0, -8) },
      {
        title: 'one that asks for an extension',
        reason: 'critical-header',
        make: () => issuer.sign({}, { header: { crit: ['exp'] } }),
      },
      {
        title: 'one whose payload is not encoded',
        reason: 'critical-header',
        make: () => issuer.sign({}, { header: { b64: false } }),
      },
      { title: 'one of another type', reason: 'type', make: () => issuer.sign({}, { typ: 'dpop+jwt' }) },
      { title: 'a logout token', reason: 'type', make: () => issuer.sign({}, { typ: 'logout+jwt' }) },
      {
        title: 'one whose type is no text',
        reason: 'type',
        make: () => issuer.sign({}, { header: { typ: ['JWT'] } }),
      },
      { title: 'one that has expired', reason: 'expired', make: () => issuer.sign({ exp: NOW_S - 60 }) },
      { title: 'one that never expires', reason: 'expiry', make: () => issuer.sign({ exp: undefined }) },
      {
        title: 'one whose expiry is a text',
        reason: 'expiry',
        make: () => issuer.sign({ exp: String(NOW_S + 60) }),
      },
      {
        title: 'one whose expiry is endless',
        reason: 'expiry',
        make: () => rewrite(issuer.sign(), `"exp":${NOW_S + 300}`, '"exp":1e400'),
      },
      {
        title: 'one that is not yet valid',
        reason: 'not-yet-valid',
        make: () => issuer.sign({ nbf: NOW_S + 61 }),
      },
      { title: 'one whose nbf is a text', reason: 'not-yet-valid', make: () => issuer.sign({ nbf: '0' }) },
      {
        title: 'one issued in the future',
        reason: 'issued-in-future',
        make: () => issuer.sign({ iat: NOW_S + 61 }),
      },
      { title: 'one for another audience', reason: 'audience', make: () => issuer.sign({ aud: 'shop' }) },
      {
        title: 'one for an audience in other case',
        reason: 'audience',
        make: () => issuer.sign({ aud: 'Portolan' }),
      },
      {
        title: 'one for a longer audience',
        reason: 'audience',
        make: () => issuer.sign({ aud: 'portolan.evil.example' }),
      },
      { title: 'one for nobody', reason: 'audience', make: () => issuer.sign({ aud: undefined }) },
      {
        title: 'one for several others',
        reason: 'audience',
        make: () => issuer.sign({ aud: ['a', ['portolan']] }),
      },
      { title: 'one of the second provider for the first', reason: 'audience', make: () => other.sign() },
      {
        title: 'one of the first provider for the second',
        reason: 'audience',
        make: () => issuer.sign({ aud: 'shop' }),
      },
      {
        title: 'one of the second that says it is of the first',
        reason: 'unknown-key',
        make: () => other.sign({ iss: issuer.issuerUrl }),
      },
      {
        title: 'one of another issuer',
        reason: 'no-provider',
        make: () => issuer.sign({ iss: 'https://evil.example' }),
      },
      {
        title: 'one of an issuer in other case',
        reason: 'no-provider',
        make: () => issuer.sign({ iss: issuer.issuerUrl.toUpperCase() }),
      },
      {
        title: 'one of an issuer that begins the same',
        reason: 'no-provider',
        make: () => issuer.sign({ iss: `${issuer.issuerUrl}/x` }),
      },
      {
        title: 'one of an issuer with two slashes',
        reason: 'no-provider',
        make: () => issuer.sign({ iss: `${issuer.issuerUrl}//` }),
      },
      {
        title: 'one of several issuers',
        reason: 'no-provider',
        make: () => issuer.sign({ iss: [issuer.issuerUrl] }),
      },
      { title: 'one without issuer', reason: 'no-provider', make: () => issuer.sign({ iss: undefined }) },
      { title: 'one without subject', reason: 'subject', make: () => issuer.sign({ sub: undefined }) },
      { title: 'one with an empty subject', reason: 'subject', make: () => issuer.sign({ sub: '' }) },
      { title: 'one whose subject is a number', reason: 'subject', make: () => issuer.sign({ sub: 7 }) },
      { title: 'one that is no JWT', reason: 'no-provider', make: () => 'opaque' },
      { title: 'one of five parts', reason: 'no-provider', make: () => `${issuer.sign()}.a.b` },
      {
        title: 'one whose payload is a list',
        reason: 'no-provider',
        make: () => replacePart(issuer.sign(), 1, '[1]'),
      },
      {
        title: 'one whose payload is no JSON',
        reason: 'no-provider',
        make: () => replacePart(issuer.sign(), 1, '{'),
      },
      {
        title: 'one whose payload is no UTF-8',
        reason: 'no-provider',
        make: () => replacePart(issuer.sign(), 1, Buffer.from('7b2261223a22ff227d', 'hex')),
      },
      {
        title: 'one with claims of great depth',
        reason: 'signature',
        make: () =>
          replacePart(
            issuer.sign(),
            1,
            `{"iss":"${issuer.issuerUrl}","aud":"portolan","sub":"x","exp":${NOW_S + 60},"deep":${'['.repeat(3000)}${']'.repeat(3000)}}`,
          ),
      },
    ];
  for (const { title, reason, make } of refused) {
    it(`F02: refuses ${title}`, async () => {
      const token = make();
      const { status, body, challenge, identity } = await oauth.send(token);
      expect({ status, body, identity }).to.deep.equal({
        status: 401,
        body: 'token validation failed',
        identity: undefined,
      });
      expect(challenge).to.equal(
        'Bearer realm="mcp-registry", error="invalid_token", error_description="token validation failed", ' +
          'resource_metadata="https://registry.acme.example/.well-known/oauth-protected-resource"',
      );
      expect(oauth.reasons()).to.deep.equal([reason]);
      const logged = JSON.stringify(oauth.logger.lines);
      for (const secret of [token, 'someone', 'root']) expect(logged).to.not.include(secret);
    });
  }

  const accepted: readonly { readonly title: string; readonly make: () => string }[] = [
    { title: 'a good one', make: () => issuer.sign() },
    { title: 'one for several audiences', make: () => issuer.sign({ aud: ['x', 'portolan'] }) },
    {
      title: 'one of an issuer with a slash at its end',
      make: () => issuer.sign({ iss: `${issuer.issuerUrl}/` }),
    },
    { title: 'one that has just expired', make: () => issuer.sign({ exp: NOW_S - 59 }) },
    { title: 'one that is about to be valid', make: () => issuer.sign({ nbf: NOW_S + 59, iat: NOW_S + 59 }) },
    {
      title: 'one with fractions of seconds',
      make: () => issuer.sign({ exp: NOW_S + 0.5, iat: NOW_S - 0.5 }),
    },
    { title: 'one without iat', make: () => issuer.sign({ iat: undefined }) },
    { title: 'one without type', make: () => issuer.sign({}, { typ: null }) },
    ...['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/JWT'].map((typ) => ({
      title: `one of type ${typ}`,
      make: () => issuer.sign({}, { typ }),
    })),
    { title: 'one of the second provider', make: () => other.sign({ aud: 'shop' }) },
    { title: 'one with headers that are not looked at', make: () => issuer.sign({}, { header: evil }) },
    {
      title: 'one with claims of all sorts',
      make: () => issuer.sign({ deep: { a: [{ b: null }] }, ['__proto__']: 1 }),
    },
  ];
  for (const { title, make } of accepted) {
    it(`accepts ${title}`, async () => {
      const { status, challenge } = await oauth.send(make());
      expect({ status, challenge }).to.deep.equal({ status: 200, challenge: null });
    });
  }

  for (const algorithm of TEST_ALGORITHMS) {
    it(`accepts ${algorithm}`, async () => {
      const third = await startTestIssuer({ algorithm, clock: oauth.clock.clock });
      const its = await startOauth(configOf(providerOf(third)));
      expect((await its.send(third.sign())).status).to.equal(200);
      await its.close();
      await third.close();
    });
  }

  it('sends no request to an address in a token', async () => {
    const url = `${other.issuerUrl}/evil`;
    const header = { jku: url, x5u: url, jwk: { kid: 'k' } };
    await oauth.send(issuer.sign({}, { kid: 'k', header }));
    await oauth.send(issuer.sign({}, { stranger: true, header }));
    await oauth.send(issuer.sign({ iss: `${other.issuerUrl}/evil` }, { header }));
    expect(other.requests).to.deep.equal([]);
    expect(issuer.requests.map(({ endpoint }) => endpoint)).to.deep.equal(['discovery', 'jwks']);
  });

  it('fetches no keys when another part of the token is invalid', async () => {
    await oauth.send(issuer.sign({ exp: 1 }));
    await oauth.send(issuer.sign({ aud: 'shop' }));
    expect(issuer.requests).to.deep.equal([]);
  });

  it('uses the first existing name claim', async () => {
    const names = [
      { claims: { name: 'Ada L.', preferred_username: 'ada', email: 'ada@acme.example' }, user: 'Ada L.' },
      { claims: { name: '', preferred_username: 'ada', email: 'ada@acme.example' }, user: 'ada' },
      { claims: { name: ['x'], email: 'ada@acme.example' }, user: 'ada@acme.example' },
    ];
    for (const { claims, user } of names) {
      const { identity } = await oauth.send(issuer.sign({ sub: 'u1', ...claims }));
      expect(identity).to.deep.include({ subject: 'u1', user, provider: 'main' });
      expect(identity?.claims).to.deep.include(claims);
    }
    expect((await oauth.send(issuer.sign({ sub: 'u1' }))).identity).to.not.have.property('user');
  });

  describe('Authorization header', () => {
    const missing =
      'Bearer realm="mcp-registry", resource_metadata="https://registry.acme.example/.well-known/oauth-protected-resource"';
    const malformed = missing.replace(
      ', resource',
      ', error="invalid_request", error_description="missing or malformed authorization header", resource',
    );

    it('responds with a bare challenge without credentials (official registry 751, 756, 816)', async () => {
      const { status, body, challenge } = await oauth.sendHeaders(undefined);
      expect({ status, body, challenge }).to.deep.equal({
        status: 401,
        body: 'missing or malformed authorization header',
        challenge: missing,
      });
    });

    for (const authorization of [
      'Bearer',
      'Basic YTpi',
      'Bearerabc',
      'Bearer a b',
      'Bearer a,b',
      'Bearer "a"',
      'Bearer a=b',
      'Bearer\tabc',
      '',
      'Token abc',
    ]) {
      it(`refuses "${authorization}" as malformed`, async () => {
        const { status, body, challenge } = await oauth.sendHeaders({ authorization });
        expect({ status, body, challenge }).to.deep.equal({
          status: 401,
          body: 'missing or malformed authorization header',
          challenge: malformed,
        });
      });
    }

    for (const scheme of ['bearer', 'BEARER', 'Bearer ', 'bEaReR']) {
      it(`accepts the scheme "${scheme}"`, async () => {
        expect((await oauth.sendHeaders({ authorization: `${scheme} ${issuer.sign()}` })).status).to.equal(
          200,
        );
      });
    }

    it('refuses two headers, even if both are valid', async () => {
      const token = issuer.sign();
      const socket = connect(oauth.port, '127.0.0.1');
      socket.end(
        `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nauthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
      );
      const answer = await text(socket);
      expect(answer).to.match(/^HTTP\/1\.1 401 /);
      expect(answer).to.include('error="invalid_request"');
    });

    it('refuses an overlong token without a request', async () => {
      const auth = await oauthAuth.create(configOf(providerOf(issuer)), createTestContext());
      const rawHeaders = ['Authorization', `Bearer ${issuer.sign({ pad: 'x'.repeat(17_000) })}`];
      // SAFETY: all of a context that is looked at.
      const context = { req: { rawHeaders } } as unknown as Parameters<typeof auth.verify>[0];
      const thrown: unknown = await Promise.resolve(auth.verify(context, async () => undefined)).catch(
        (error: unknown) => error,
      );
      expect(thrown).to.include({ status: 401, code: 'ERR_TOKEN_REFUSED', expose: true });
      expect(issuer.requests).to.deep.equal([]);
      const [verdict] = (await auth.explainToken?.('x'.repeat(17_000))) ?? [];
      expect(verdict?.because).to.equal('The token is refused: it is longer than 16384 characters.');
      await auth.close?.();
    });
  });
});

function forge(token: string, claims: object): string {
  return replacePart(token, 1, JSON.stringify(claims));
}

function rewrite(token: string, found: string, replacement: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return replacePart(token, 1, claims.replace(found, replacement));
}

function replacePart(token: string, index: number, content: string | Buffer): string {
  return token.split('.').with(index, Buffer.from(content).toString('base64url')).join('.');
}
