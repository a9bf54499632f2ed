import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, leavesNothingOpen, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { PortolanError } from '@portolan/plugin-api';
import { providerUnavailable } from '../src/errors.ts';
import { TIMING } from '../src/timing.ts';
import { configOf, type OauthUnderTest, providerOf, startOauth } from './support/oauth-under-test.ts';

const tls = (file: string): string => readFileSync(join(import.meta.dirname, 'support/tls', file), 'utf8');

describe('provider keys', () => {
  let issuer: TestIssuer;
  let oauth: OauthUnderTest;
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    issuer = await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() });
    oauth = await startOauth(configOf(providerOf(issuer)));
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await oauth.close();
    await issuer.close();
  });

  function keep<Opened extends { close(): Promise<void> }>(it: Opened): Opened {
    opened.push(it);
    return it;
  }

  /** What the log says about why keys could not be had. */
  function whyLogged({ logger }: OauthUnderTest): string {
    const line = logger.lines.find(({ level }) => level === 'warn');
    return line !== undefined && 'err' in line.fields ? String(line.fields.err) : '';
  }

  const json =
    (document: unknown): RequestListener =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(typeof document === 'string' ? document : JSON.stringify(document));
    };

  it("times out before the server's own request timeout, so that the response names the cause", () => {
    const requestTimeoutMs = 10_000; // the default of server.requestTimeout
    expect(TIMING.patienceMs).to.be.below(requestTimeoutMs);
    expect(TIMING.requestMs).to.be.below(requestTimeoutMs);
  });

  it('fetches keys once, and caches tokens', async () => {
    const token = issuer.sign();
    const first = await oauth.send(token);
    const second = await oauth.send(token);
    expect(second.identity).to.equal(first.identity);
    expect(Object.isFrozen(first.identity?.claims)).to.equal(true);
    await oauth.send(issuer.sign({ sub: 'b' }));
    expect([issuer.count('discovery'), issuer.count('jwks')]).to.deep.equal([1, 1]);
  });

  it('fetches keys once at warm-up, before the first token', async () => {
    await Promise.all([oauth.auth.warmUp?.(), oauth.auth.warmUp?.()]);
    expect([issuer.count('discovery'), issuer.count('jwks')]).to.deep.equal([1, 1]);
    expect((await oauth.send(issuer.sign())).status).to.equal(200);
    await oauth.auth.warmUp?.();
    expect([issuer.count('discovery'), issuer.count('jwks')]).to.deep.equal([1, 1]);
  });

  it('fetches keys with the first token when the warm-up failed, and does not delay closing', async () => {
    const early = keep(await startOauth(configOf(providerOf(issuer))));
    issuer.replace('jwks', json('none'));
    await early.auth.warmUp?.();
    issuer.replace('jwks', undefined);
    expect((await early.send(issuer.sign())).status).to.equal(200);
    const closed = await startOauth(configOf(providerOf(issuer)));
    issuer.setDelay(3_600_000);
    const warming = closed.auth.warmUp?.();
    await closed.close();
    await warming;
  });

  it('fetches keys once for concurrent requests, which share one identity', async () => {
    const token = issuer.sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => oauth.send(token)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 200));
    expect(issuer.count('jwks')).to.equal(1);
  });

  it('needs no discovery when the address of the keys is configured', async () => {
    const direct = keep(await startOauth(configOf(providerOf(issuer, { jwksUrl: issuer.jwksUrl }))));
    expect((await direct.send(issuer.sign())).status).to.equal(200);
    expect(issuer.count('discovery')).to.equal(0);
  });

  it('returns the same identity when a token is verified again', async () => {
    const token = issuer.sign();
    const first = await oauth.send(token);
    oauth.clock.advance(TIMING.tokenMs + 1);
    expect((await oauth.send(token)).identity).to.equal(first.identity);
  });

  it('does not cache a token beyond its expiry', async () => {
    const token = issuer.sign({ exp: Math.floor(oauth.clock.clock().getTime() / 1000) + 1 });
    expect((await oauth.send(token)).status).to.equal(200);
    oauth.clock.advance(61_000);
    expect((await oauth.send(token)).status).to.equal(401);
  });

  it('accepts new tokens after a rotation, and drops cached tokens of the old key', async () => {
    const old = issuer.sign();
    expect((await oauth.send(old)).status).to.equal(200);
    await issuer.rotateKeys();
    oauth.clock.advance(TIMING.unknownKeyMs);
    expect((await oauth.send(issuer.sign())).status).to.equal(200);
    expect((await oauth.send(old)).status).to.equal(401);
    expect(issuer.count('jwks')).to.equal(2);
  });

  it('limits fetches during a flood of invented keys, and accepts a new key after the pause', async () => {
    await oauth.send(issuer.sign());
    await issuer.rotateKeys({ keepOld: true });
    const flood = async (): Promise<void> => {
      const sent = Array.from({ length: 50 }, (_, index) =>
        oauth.send(issuer.sign({}, { kid: `made-up-${index}` })),
      );
      for (const { status } of await Promise.all(sent)) expect(status).to.equal(401);
    };
    await flood();
    expect(issuer.count('jwks')).to.equal(1);
    oauth.clock.advance(TIMING.unknownKeyMs);
    await flood();
    expect(issuer.count('jwks')).to.equal(2);
    expect((await oauth.send(issuer.sign())).status).to.equal(200);
  });

  it('responds with 503 until the keys were fetched for the first time', async () => {
    issuer.takeDown();
    const { status, body, challenge } = await oauth.send(issuer.sign());
    expect({ status, challenge }).to.deep.equal({ status: 503, challenge: null });
    expect(body).to.equal('The identity provider that has issued the token cannot be reached at the moment.');
    issuer.bringUp();
    oauth.clock.advance(TIMING.failureMs);
    expect((await oauth.send(issuer.sign())).status).to.equal(200);
  });

  it('keeps keys during an outage', async () => {
    await oauth.send(issuer.sign());
    issuer.takeDown();
    for (let hours = 0; hours < 23; hours += 1) {
      oauth.clock.advance(3_600_000);
      expect((await oauth.send(issuer.sign())).status).to.equal(200);
    }
  });

  it('does not delay other providers while one is down or unresponsive', async () => {
    const silent = keep(await startTestIssuer({ algorithm: 'ES256', clock: () => oauth.clock.clock() }));
    silent.setDelay(3_600_000);
    const both = keep(await startOauth(configOf(providerOf(silent, { name: 'silent' }), providerOf(issuer))));
    const waiting = both.send(silent.sign());
    await eventually(() => expect(silent.count('discovery')).to.equal(1));
    expect((await both.send(issuer.sign())).status).to.equal(200);
    silent.takeDown();
    expect((await waiting).status).to.equal(503);
    expect((await both.send(issuer.sign({ sub: 'b' }))).status).to.equal(200);
  });

  it('responds with 503 when keys arrive too slowly', async () => {
    issuer.setDelay(3_600_000);
    const hasty = keep(await startOauth(configOf(providerOf(issuer)), { requestMs: 20 }));
    expect((await hasty.send(issuer.sign())).status).to.equal(503);
    expect(whyLogged(hasty)).to.match(/did not respond within 0\.02 s/);
  });

  it('requests keys three times before it gives up', async () => {
    issuer.replace('jwks', (_request, response) => void response.writeHead(502).end('<html>'));
    const patient = keep(await startOauth(configOf(providerOf(issuer)), { backOffMs: [1, 1] }));
    expect((await patient.send(issuer.sign())).status).to.equal(503);
    expect(issuer.count('jwks')).to.equal(3);
    expect(TIMING.backOffMs).to.deep.equal([500, 2000]);
  });

  for (const { title, document, expected } of [
    {
      title: 'ten thousand keys',
      document: { keys: Array.from({ length: 10_000 }, () => 0) },
      expected: /more than 100 keys/,
    },
    {
      title: 'a huge document',
      document: { keys: [], pad: 'x'.repeat(300_000) },
      expected: /more than 262144 bytes/,
    },
    { title: 'invalid JSON', document: '<html>', expected: /not a JSON object/ },
    { title: 'a list', document: [], expected: /not a JSON object/ },
    { title: 'an object without keys', document: {}, expected: /no list of keys/ },
    { title: 'no key at all', document: { keys: [] }, expected: /no keys that can be used/ },
    {
      title: 'nothing but secrets',
      document: { keys: [{ kty: 'oct', k: 'AAAA', kid: 'a' }] },
      expected: /no keys that can be used/,
    },
    {
      title: 'a key that cannot be read',
      document: { keys: [{ kty: 'EC', crv: 'P-256', x: '!', y: '!', kid: 'a' }, null, 7] },
      expected: /no keys that can be used/,
    },
  ]) {
    it(`refuses keys from ${title}`, async () => {
      issuer.replace('jwks', json(document));
      expect((await oauth.send(issuer.sign())).status).to.equal(503);
      expect(whyLogged(oauth)).to.match(expected);
    });
  }

  it('aborts an endless response', async () => {
    issuer.replace('jwks', (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write('[0,'.repeat(10_000), () => setImmediate(more));
      };
      more();
    });
    expect((await oauth.send(issuer.sign())).status).to.equal(503);
    expect(whyLogged(oauth)).to.match(/more than 262144 bytes/);
  });

  for (const { title, change, expected } of [
    { title: 'another issuer', change: { issuer: 'https://evil.example' }, expected: /another issuer/ },
    { title: 'no issuer', change: { issuer: undefined }, expected: /another issuer/ },
    { title: 'no address of keys', change: { jwks_uri: undefined }, expected: /jwks_uri that is missing/ },
    {
      title: 'keys without TLS',
      change: { jwks_uri: 'http://keys.evil.example/' },
      expected: /jwks_uri that is an http address of/,
    },
    {
      title: 'keys in a file',
      change: { jwks_uri: 'file:///etc/passwd' },
      expected: /jwks_uri that is an address that begins with file:/,
    },
    {
      title: 'keys at no address',
      change: { jwks_uri: '/keys' },
      expected: /jwks_uri that is no absolute address/,
    },
  ]) {
    it(`refuses a discovery document that names ${title}`, async () => {
      issuer.replace('discovery', json({ issuer: issuer.issuerUrl, jwks_uri: issuer.jwksUrl, ...change }));
      expect((await oauth.send(issuer.sign())).status).to.equal(503);
      expect(whyLogged(oauth)).to.match(expected);
      expect(issuer.count('jwks')).to.equal(0);
    });
  }

  it('repeats the discovery when the keys have moved', async () => {
    await oauth.send(issuer.sign());
    const moved = `${issuer.issuerUrl}/moved`;
    issuer.replace('jwks', (_request, response) => void response.writeHead(404).end());
    issuer.replace('discovery', json({ issuer: issuer.issuerUrl, jwks_uri: moved }));
    oauth.clock.advance(TIMING.firmMs);
    await oauth.send(issuer.sign());
    await eventually(() => expect(issuer.requests.map(({ url }) => url)).to.include('/moved'));
  });

  it('refuses a private address that is not allowed, and reports it in the settings check', async () => {
    const config = configOf(providerOf(issuer, { allowPrivateIP: false }));
    const start = startOauth(config, {}, undefined, false);
    const error: unknown = await start.then(keep, (reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_OAUTH_CONFIG' });
    expect(issuer.requests).to.deep.equal([]);
  });

  it('distinguishes a permanent failure from an outage: asks no caller to retry', () => {
    const forbidden = new PortolanError('ERR_ADDRESS_FORBIDDEN', 'refused', 'is not public');
    const outage = providerUnavailable(new Error('keys', { cause: new Error('ECONNREFUSED') }));
    expect(outage).to.include({ code: 'ERR_PROVIDER_UNAVAILABLE', status: 503, retryAfterSeconds: 5 });
    const never = providerUnavailable(new Error('keys', { cause: forbidden }));
    expect(never).to.include({ code: 'ERR_PROVIDER_UNAVAILABLE', status: 503, retryAfterSeconds: undefined });
    expect(`${never.message} ${never.hint}`).not.to.match(/try again/i);
  });

  describe('redirects', () => {
    const redirect =
      (location: string): RequestListener =>
      (_request, response) =>
        void response.writeHead(302, { location }).end();

    it('follows a redirect on the same host and port', async () => {
      issuer.replace('introspection', json(await (await fetch(issuer.jwksUrl)).json()));
      issuer.replace('jwks', redirect(issuer.introspectionUrl));
      expect((await oauth.send(issuer.sign())).status).to.equal(200);
    });

    it('refuses a redirect to another loopback port', async () => {
      const moved = keep(await startTestIssuer());
      moved.replace('jwks', json(await (await fetch(issuer.jwksUrl)).json()));
      issuer.replace('jwks', redirect(moved.jwksUrl));
      expect((await oauth.send(issuer.sign())).status).to.equal(503);
      expect(moved.requests).to.deep.equal([]);
    });

    for (const { title, location, expected } of [
      { title: 'a circle', location: '/jwks', expected: /redirects more than 3 times/ },
      {
        title: 'http elsewhere',
        location: 'http://evil.example/',
        expected: /redirects to what is an http address/,
      },
      {
        title: 'a file',
        location: 'file:///etc/passwd',
        expected: /redirects to what is an address that begins with file:/,
      },
      { title: 'no address', location: 'http://[', expected: /redirects to what is not an address/ },
    ]) {
      it(`gives up after ${title}`, async () => {
        issuer.replace('jwks', redirect(location));
        expect((await oauth.send(issuer.sign())).status).to.equal(503);
        expect(whyLogged(oauth)).to.match(expected);
      });
    }
  });

  describe('with a token of this server', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'portolan-oauth-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    it('sends the current token of its file, only to the origin of the provider', async () => {
      const authTokenFile = join(folder, 'token');
      await writeFile(authTokenFile, 'first\n');
      const inside = keep(await startOauth(configOf(providerOf(issuer, { authTokenFile }))));
      const elsewhere = keep(await startTestIssuer());
      issuer.replace(
        'jwks',
        (_request, response) => void response.writeHead(307, { location: elsewhere.jwksUrl }).end(),
      );
      await inside.send(issuer.sign());
      await writeFile(authTokenFile, 'second, longer');
      inside.clock.advance(TIMING.unknownKeyMs);
      await inside.send(issuer.sign());
      const seen = issuer.requests.map(({ authorization }) => authorization);
      expect([...new Set(seen)]).to.deep.equal(['Bearer first', 'Bearer second, longer']);
      expect(elsewhere.requests).to.deep.equal([]);
    });
  });

  it('trusts the configured certificate authority of the provider', async () => {
    const safe = keep(
      await startTestIssuer({
        tls: { cert: tls('certificate.pem'), key: tls('key.pem') },
        clock: () => oauth.clock.clock(),
      }),
    );
    const trusting = keep(
      await startOauth(configOf(providerOf(safe, { caCertPath: 'tls/certificate.pem' }))),
    );
    expect((await trusting.send(safe.sign())).status).to.equal(200);
    const usual = keep(await startOauth(configOf(providerOf(safe))));
    expect((await usual.send(safe.sign())).status).to.equal(503);
  });

  it('closes pending requests', async () => {
    await leavesNothingOpen(async () => {
      const slow = await startTestIssuer({ algorithm: 'ES256' });
      slow.setDelay(3_600_000);
      const its = await startOauth(configOf(providerOf(slow)), { backOffMs: [3_600_000] });
      const waiting = its.auth.explainToken?.(slow.sign());
      await its.auth.close?.();
      expect((await waiting)?.[0]?.accepted).to.equal(false);
      await its.close();
      await slow.close();
    });
  });
});
