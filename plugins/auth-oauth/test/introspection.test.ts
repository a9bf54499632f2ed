import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { dialectOf } from '../src/tokens/introspection-dialect.ts';
import { TIMING } from '../src/timing.ts';
import { configOf, NOW_S, type OauthUnderTest, providerOf, startOauth } from './support/oauth-under-test.ts';

describe('introspection of opaque tokens', () => {
  let issuer: TestIssuer;
  let oauth: OauthUnderTest;
  let folder: string;
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-oauth-'));
    const clientSecretFile = join(folder, 'secret');
    await writeFile(clientSecretFile, 's:e cret%\n');
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    const { introspectionUrl } = issuer;
    oauth = await startOauth(
      configOf(providerOf(issuer, { introspectionUrl, clientId: 'my registry', clientSecretFile })),
    );
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await oauth.close();
    await issuer.close();
    await rm(folder, { recursive: true });
  });

  it("sends the client's credentials with HTTP Basic", async () => {
    const { status, identity } = await oauth.send(
      issuer.issueOpaque({ sub: 'ada', email: 'ada@acme.example' }),
    );
    expect(status).to.equal(200);
    expect(identity).to.deep.include({ subject: 'ada', user: 'ada@acme.example', provider: 'main' });
    expect(identity?.claims).to.not.have.property('active');
    const [request] = issuer.requests;
    expect(request?.body).to.match(/^token=[\w-]+&token_type_hint=access_token$/);
    const credential = Buffer.from(request?.authorization?.split(' ')[1] ?? '', 'base64').toString();
    expect(credential).to.equal('my+registry:s%3Ae+cret%25');
  });

  it('sends no HTTP Basic when the client has only an id', async () => {
    const { introspectionUrl } = issuer;
    const alone = await startOauth(
      configOf(providerOf(issuer, { introspectionUrl, clientId: 'my registry' })),
    );
    opened.push(alone);
    await alone.send(issuer.issueOpaque({ sub: 'ada' }));
    const [request] = issuer.requests;
    expect([request?.endpoint, request?.authorization]).to.deep.equal(['introspection', undefined]);
  });

  it('caches results only for a short time', async () => {
    const token = issuer.issueOpaque();
    const first = await oauth.send(token);
    issuer.revoke(token);
    expect((await oauth.send(token)).identity).to.equal(first.identity);
    oauth.clock.advance(TIMING.opaqueMs);
    expect((await oauth.send(token)).status).to.equal(401);
    expect(oauth.reasons()).to.deep.equal(['inactive']);
  });

  for (const { title, claims, expected } of [
    { title: 'without issuer and expiry', claims: { iss: undefined, exp: undefined }, expected: 200 },
    { title: 'of another issuer', claims: { iss: 'https://evil.example' }, expected: 'issuer' },
    { title: 'for another audience', claims: { aud: ['shop'] }, expected: 'audience' },
    { title: 'without an audience', claims: { aud: undefined }, expected: 'audience' },
    { title: 'that have expired', claims: { exp: NOW_S - 60 }, expected: 'expired' },
    { title: 'whose expiry is a string', claims: { exp: 'soon' }, expected: 'expiry' },
    { title: 'without subject', claims: { sub: undefined }, expected: 'subject' },
  ]) {
    it(`${expected === 200 ? 'accepts' : 'refuses'} tokens ${title}`, async () => {
      const { status } = await oauth.send(issuer.issueOpaque(claims));
      expect(status).to.equal(expected === 200 ? 200 : 401);
      expect(oauth.reasons()).to.deep.equal(expected === 200 ? [] : [expected]);
    });
  }

  for (const { title, status, body } of [
    { title: 'a failure', status: 500, body: 'no' },
    { title: 'a refusal of the client', status: 401, body: '{"error":"invalid_client"}' },
    { title: 'an unexpected body', status: 200, body: '{"ok":true}' },
    { title: 'a string for active', status: 200, body: '{"active":"true","sub":"ada","aud":"portolan"}' },
    { title: 'a redirect', status: 302, body: '' },
  ]) {
    it(`responds with 503 when ${title} comes back`, async () => {
      const token = issuer.issueOpaque();
      issuer.replace('introspection', (_request, response) => {
        response.writeHead(status, { location: issuer.jwksUrl }).end(body);
      });
      expect((await oauth.send(token)).status).to.equal(503);
      expect(JSON.stringify(oauth.logger.lines)).to.not.include(token);
      expect(issuer.count('jwks')).to.equal(0);
    });
  }

  it('does not delay tokens of one provider while another is unresponsive', async () => {
    const silent = await startTestIssuer();
    silent.setDelay(3_600_000);
    const both = await startOauth(
      configOf(
        providerOf(silent, { name: 'silent', introspectionUrl: silent.introspectionUrl }),
        providerOf(issuer, { introspectionUrl: issuer.introspectionUrl }),
      ),
    );
    opened.push(both, silent);
    expect((await both.send(issuer.issueOpaque())).identity?.provider).to.equal('main');
  });

  it('responds with 503 instead of 401 while one of several providers is down', async () => {
    const down = await startTestIssuer();
    down.takeDown();
    const both = await startOauth(
      configOf(
        providerOf(down, { name: 'down', introspectionUrl: down.introspectionUrl }),
        providerOf(issuer, { introspectionUrl: issuer.introspectionUrl }),
      ),
    );
    opened.push(both, down);
    expect((await both.send('made-up')).status).to.equal(503);
    expect((await both.send(issuer.issueOpaque())).status).to.equal(200);
  });

  it('limits the number of concurrent introspections', async () => {
    issuer.setDelay(3_600_000);
    const sent = Array.from({ length: 60 }, (_, index) => oauth.send(`made-up-${index}`));
    await eventually(() => expect(issuer.count('introspection')).to.equal(50));
    const early: number[] = [];
    for (const answer of sent) void answer.then(({ status }) => early.push(status));
    await eventually(() => expect(early).to.deep.equal(Array.from({ length: 10 }, () => 503)));
    issuer.setDelay(0);
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.lengthOf(50);
    expect(statuses.filter((status) => status === 503)).to.have.lengthOf(10);
  });

  it('refuses opaque tokens when no provider introspects', async () => {
    const plain = await startOauth(configOf(providerOf(issuer)));
    opened.push(plain);
    expect((await plain.send(issuer.issueOpaque())).status).to.equal(401);
    expect(issuer.requests).to.deep.equal([]);
  });

  it('refuses a JWT with a bad signature without introspection', async () => {
    await oauth.send(issuer.sign({}, { stranger: true }));
    expect(issuer.count('introspection')).to.equal(0);
  });
});

describe('dialectOf', () => {
  const client = { id: 'app', secret: 'secret' };

  it('returns the request format of Google', () => {
    const dialect = dialectOf('https://oauth2.googleapis.com/tokeninfo');
    expect(dialect.request('https://oauth2.googleapis.com/tokeninfo', 'a/b+c', client)).to.deep.equal({
      url: 'https://oauth2.googleapis.com/tokeninfo?access_token=a%2Fb%2Bc',
      method: 'GET',
      headers: {},
    });
    expect(
      dialect.read(200, { aud: 'app', sub: '1', exp: '1800000000', email: 'ada@acme.example' }),
    ).to.deep.equal({
      aud: 'app',
      sub: '1',
      exp: 1_800_000_000,
      email: 'ada@acme.example',
    });
    expect(dialect.read(200, { aud: 'app' })).to.deep.equal({ aud: 'app', exp: undefined });
    expect(dialect.read(400, { error: 'invalid_token' })).to.equal('inactive');
    expect(dialect.read(500, undefined)).to.equal('unclear');
  });

  it('returns the request format of GitHub', () => {
    const url = 'https://api.github.com/applications/app/token';
    const dialect = dialectOf(url);
    expect(dialect.request(url, 'gho_x', client)).to.deep.include({
      url,
      method: 'POST',
      body: '{"access_token":"gho_x"}',
    });
    expect(
      dialect.read(200, {
        app: { client_id: 'app' },
        user: { id: 7, login: 'ada', name: null, email: 'ada@acme.example' },
        scopes: ['repo', 'user'],
        expires_at: '2027-01-15T08:00:00Z',
      }),
    ).to.deep.equal({
      sub: '7',
      aud: 'app',
      preferred_username: 'ada',
      email: 'ada@acme.example',
      scope: 'repo user',
      exp: 1_800_000_000,
    });
    expect(dialect.read(404, {})).to.equal('inactive');
    expect(dialect.read(422, {})).to.equal('inactive');
    expect(dialect.read(200, { app: {}, user: {} })).to.equal('unclear');
  });

  for (const url of [
    'https://sso.acme.example/introspect',
    'https://oauth2.googleapis.com.evil.example/tokeninfo',
    'https://evil.example/?https://api.github.com/applications/app/token',
  ]) {
    it(`returns the format of RFC 7662 for ${url}`, () => {
      expect(dialectOf(url).read(200, { active: true, sub: 'x' })).to.deep.equal({ sub: 'x' });
    });
  }
});
