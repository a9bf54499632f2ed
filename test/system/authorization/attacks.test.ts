import { request } from 'node:http';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import {
  type Answer,
  type Json,
  RegistryUnderTest,
  type RequestOptions,
  serverDocument,
} from '../../support/registry-under-test.ts';

const LIST = '/registry/main/v0.1/servers';
const SOURCES = [{ name: 'published', managed: {}, claims: { org: 'acme' } }];
const CONFIG = {
  sources: SOURCES,
  registries: [
    { name: 'main', sources: ['published'], claims: { org: 'acme' } },
    { name: 'gated', sources: ['published'], claims: { org: 'acme', team: 'eng' } },
  ],
};

/** Returns the own properties, including `__proto__`. */
const claimsOf = (...entries: readonly (readonly [string, unknown])[]): Json => Object.fromEntries(entries);

describe('attacks on authorization', function () {
  this.timeout(180_000);
  let server: RegistryUnderTest;
  let other: TestIssuer;
  let admin: RequestOptions;
  before(async () => {
    other = await startTestIssuer({ audience: 'elsewhere' });
    server = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'full',
      config: CONFIG,
      moreProviders: [
        { name: 'other', issuerUrl: other.issuerUrl, audience: 'elsewhere', allowPrivateIP: true },
      ],
    });
    admin = { token: server.token({ role: 'admin' }) };
    for (const [name, claims] of [
      ['acme', { org: 'acme' }],
      ['eng', { org: 'acme', team: 'eng' }],
      ['proto', { ['constructor']: 'x' }],
    ] as const)
      await publish(name, claims);
  });
  after(async () => {
    await server?.close();
    await other?.close();
  });

  const publish = async (name: string, claims: Json, by: RequestOptions = admin) =>
    await server.send('POST', '/v1/entries', {
      ...by,
      body: { server: serverDocument(`com.acme/${name}`), claims },
    });
  const namesSeen = (answer: Answer) =>
    answer.json<{ servers: readonly { server: { name: string } }[] }>().servers.map((row) => row.server.name);

  describe('access tokens', () => {
    const now = () => Math.floor(Date.now() / 1000);
    const acme = { org: 'acme', role: 'admin' };
    const tokens: Readonly<Record<string, () => string>> = {
      'of no algorithm': () => server.issuer.sign(acme, { algorithm: 'none' }),
      'signed with HS256 and the public key': () => server.issuer.sign(acme, { algorithm: 'HS256' }),
      'signed by somebody else under a known kid': () => server.issuer.sign(acme, { stranger: true }),
      'with a kid that is a path': () => server.issuer.sign(acme, { header: { kid: '../../../dev/null' } }),
      'with a kid that is SQL': () => server.issuer.sign(acme, { header: { kid: "' or 1=1 --" } }),
      'with a kid that is a number': () => server.issuer.sign(acme, { header: { kid: 5 } }),
      'without a kid': () => server.issuer.sign(acme, { header: { kid: undefined } }),
      'with a key of its own (jwk)': () =>
        server.issuer.sign(acme, { stranger: true, header: { jwk: { kty: 'RSA' } } }),
      'with an address of keys (jku)': () =>
        server.issuer.sign(acme, { stranger: true, header: { jku: other.jwksUrl } }),
      'of another type': () => server.issuer.sign(acme, { header: { typ: 'logout+jwt' } }),
      'with critical extensions': () => server.issuer.sign(acme, { header: { crit: ['b64'], b64: false } }),
      'that has expired': () => server.issuer.sign({ ...acme, exp: now() - 120 }),
      'that never expires': () => server.issuer.sign({ ...acme, exp: undefined }),
      'that is not valid yet': () => server.issuer.sign({ ...acme, nbf: now() + 120 }),
      'from the future': () => server.issuer.sign({ ...acme, iat: now() + 120 }),
      'for another audience': () => server.issuer.sign({ ...acme, aud: 'somebody' }),
      'for the audience of another provider': () => server.issuer.sign({ ...acme, aud: 'elsewhere' }),
      'of another issuer': () => server.issuer.sign({ ...acme, iss: 'https://evil.example' }),
      'of one provider in the name of another': () =>
        other.sign({ ...acme, iss: server.issuer.issuerUrl, aud: 'portolan' }),
      'of the other provider for our audience': () => other.sign({ ...acme, aud: 'portolan' }),
      'without a subject': () => server.issuer.sign({ ...acme, sub: undefined }),
      'whose subject is no text': () => server.issuer.sign({ ...acme, sub: 5 }),
      'of one part': () => 'abc',
      'of empty parts': () => '..',
    };
    for (const [title, make] of Object.entries(tokens)) {
      it(`are refused ${title}, with the same response`, async () => {
        const answer = await server.send('GET', '/v1/me', { token: make() });
        expect(answer.status).to.equal(401);
        expect(answer.json()['error']).to.equal('token validation failed');
        expect(answer.headers.get('www-authenticate')).to.match(
          /^Bearer realm="mcp-registry", error="invalid_token"/,
        );
      });
    }

    it('are valid from each provider for its own audience', async () => {
      expect(await server.status('GET', LIST, { token: other.sign({ org: 'acme' }) })).to.equal(200);
    });

    it('are valid with any case of the scheme Bearer', async () => {
      const headers = { authorization: `bEARER ${server.token({ org: 'acme' })}` };
      expect(await server.status('GET', LIST, { headers })).to.equal(200);
    });

    const headers = ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'Token x'];
    for (const authorization of headers) {
      it(`are absent in "Authorization: ${authorization}"`, async () => {
        expect(await server.status('GET', LIST, { headers: { authorization } })).to.equal(401);
      });
    }

    it('of huge size are refused without an effect on other requests', async () => {
      const huge = server.token({
        org: 'acme',
        groups: Array.from({ length: 10_000 }, (_, at) => `group-${at}`),
      });
      // The server may close the connection while the token is still being sent.
      const status = await server.status('GET', LIST, { token: huge }).catch(() => 431);
      expect(status).to.be.oneOf([401, 431]);
      expect(await server.status('GET', LIST, { token: server.token({ org: 'acme' }) })).to.equal(200);
    });
  });

  describe('claims', () => {
    const lookAlikes: readonly Json[] = [
      { org: 'Acme' },
      { Org: 'acme' },
      { ORG: 'acme' },
      { org: 'аcme' }, // Cyrillic
      { org: 'acme ' },
      { org: 'acme\u200b' },
      { org: 'ａｃｍｅ' }, // full width
      { org: ['acme '] },
      { org: [['acme']] },
      { org: { acme: 'acme' } },
      { org: 'acme,eng' },
      { org: true },
      { org: null },
      { 'org ': 'acme' },
      claimsOf(['__proto__', { org: 'acme' }]),
      claimsOf(['constructor', { prototype: { org: 'acme' } }]),
    ];
    for (const claims of lookAlikes) {
      it(`${JSON.stringify(claims)} do not match org acme`, async () => {
        expect(await server.status('GET', LIST, { token: server.token(claims) })).to.equal(403);
      });
    }

    it('named like built-in object properties match no caller', async () => {
      const seen = namesSeen(await server.send('GET', LIST, { token: server.token({ org: 'acme' }) }));
      expect(seen).to.deep.equal(['com.acme/acme']);
    });

    it('that are inherited from a prototype or nested in a value grant no role', async () => {
      for (const claims of [
        claimsOf(['__proto__', { role: 'admin' }]),
        { role: { admin: true } },
        { role: [['admin']] },
        { Role: 'admin' },
      ]) {
        const me = await server.send('GET', '/v1/me', { token: server.token(claims) });
        expect(me.json()['roles']).to.deep.equal([]);
      }
    });

    const bodies: readonly [string, unknown][] = [
      ['10,000 values', { org: Array.from({ length: 10_000 }, () => 'acme') }],
      ['10,000 names', Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, 'x']))],
      ['a number', { org: 5 }],
      ['a map', { org: { acme: true } }],
      ['null', { org: null }],
      ['a list in a list', { org: [['acme']] }],
    ];
    for (const [title, claims] of bodies) {
      it(`in a publish request are refused with ${title}`, async () => {
        const body = { server: serverDocument('com.acme/bad'), claims };
        expect(await server.status('POST', '/v1/entries', { ...admin, body })).to.equal(400);
      });
    }

    it('in a publish request are refused when a key is repeated or is __proto__', async () => {
      for (const claims of ['{"org":"acme","org":"other"}', '{"__proto__":{"org":"acme"}}']) {
        const body = `{"server":${JSON.stringify(serverDocument('com.acme/bad'))},"claims":${claims}}`;
        expect(await server.status('POST', '/v1/entries', { ...admin, body })).to.equal(400);
      }
    });

    it('in a publish request beyond those of the caller are refused', async () => {
      const by = { token: server.token({ org: 'acme', role: 'entries' }) };
      for (const claims of [{ org: 'acme', team: 'eng' }, { org: ['acme', 'other'] }, { team: [] }])
        expect((await publish('beyond', claims, by)).status, JSON.stringify(claims)).to.equal(403);
    });
  });

  describe('paths', () => {
    const caller = () => ({ token: server.token({ org: 'acme', role: 'entries' }) });
    const names = [
      'com.acme%252Feng',
      'com.acme%2F..%2Feng',
      'com.acme%2F%2E%2E%2Feng',
      'com.acme/eng',
      '..%2Fcom.acme%2Feng',
      'com.acme%2Feng%00',
      'com.acme%5Ceng',
      'COM.ACME%2Feng',
      'com.acme%2Feng%20',
    ];
    for (const name of names) {
      it(`${name} does not reach the hidden com.acme/eng`, async () => {
        for (const path of [`${LIST}/${name}/versions/latest`, `${LIST}/${name}/versions`]) {
          const answer = await sendRaw(server.url, 'GET', path, caller().token);
          expect(answer.status, path).to.be.oneOf([400, 404]);
          expect(answer.text).not.to.include('What com.acme');
        }
        const claims = await sendRaw(server.url, 'GET', `/v1/entries/server/${name}/claims`, caller().token);
        expect(claims.status).to.be.oneOf([400, 404]);
      });
    }

    const detours = [
      '/registry/main/../gated/v0.1/servers',
      '/registry/main%2F..%2Fgated/v0.1/servers',
      '/registry/./gated/v0.1/servers',
      '//registry/gated/v0.1/servers',
      '/registry/gated%2Fv0.1/servers',
      '/health/../registry/gated/v0.1/servers',
      '/.well-known/../registry/gated/v0.1/servers',
      '/.well-known/%2e%2e/registry/gated/v0.1/servers',
    ];
    for (const path of detours) {
      it(`${path} shows no data, with or without a token`, async () => {
        const mine = await sendRaw(server.url, 'GET', path, caller().token);
        expect(mine.status).to.be.oneOf([400, 403, 404]);
        expect((await sendRaw(server.url, 'GET', path)).status).to.be.oneOf([400, 401, 404]);
      });
    }

    it('ignore headers that override the method or the address', async () => {
      const headers = {
        'x-http-method-override': 'DELETE',
        'x-method-override': 'DELETE',
        'x-original-url': '/v1/sources',
        'x-rewrite-url': '/v1/sources',
        'x-forwarded-prefix': '/health',
      };
      const path = '/v1/entries/server/com.acme%2Facme/versions/1.0.0';
      expect(await server.status('POST', path, { ...admin, headers, body: {} })).to.equal(405);
      expect(await server.status('GET', '/v1/sources', { ...caller(), headers })).to.equal(403);
      expect(
        await server.status('GET', `${LIST}/com.acme%2Facme/versions/latest`, { ...caller(), headers }),
      ).to.equal(200);
    });

    it('respond to HEAD like GET without a body, and to OPTIONS without data', async () => {
      const outside = { token: server.token({ org: 'other' }) };
      for (const [path, options, status] of [
        ['/registry/gated/v0.1/servers', caller(), 403],
        [`${LIST}/com.acme%2Feng/versions/latest`, caller(), 404],
        [LIST, outside, 403],
        ['/v1/sources', caller(), 403],
      ] as const) {
        const head = await server.send('HEAD', path, options);
        expect([head.status, head.text], path).to.deep.equal([status, '']);
      }
      const known = await server.send('OPTIONS', '/registry/gated/v0.1/servers');
      const unknown = await server.send('OPTIONS', '/registry/nowhere/v0.1/servers');
      expect([known.status, known.text]).to.deep.equal([204, '']);
      expect([unknown.status, unknown.text]).to.deep.equal([204, '']);
    });
  });

  describe('caches', () => {
    it('return no page of another caller', async () => {
      const callers = [
        { claims: { org: 'acme' }, seen: ['com.acme/acme'] },
        { claims: { org: 'acme', team: 'eng' }, seen: ['com.acme/acme', 'com.acme/eng'] },
        { claims: { org: ['acme', 'x'], team: ['data'] }, seen: ['com.acme/acme'] },
        { claims: { role: 'admin' }, seen: ['com.acme/acme', 'com.acme/eng', 'com.acme/proto'] },
      ];
      const tags = new Set<string | null>();
      for (let round = 0; round < 3; round += 1) {
        for (const { claims, seen } of callers) {
          const answer = await server.send('GET', LIST, { token: server.token(claims) });
          expect(namesSeen(answer)).to.deep.equal(seen);
          expect(answer.headers.get('vary')).to.match(/\bAuthorization\b/i);
          expect(answer.headers.get('cache-control')).to.equal('no-cache');
          tags.add(answer.headers.get('etag'));
        }
      }
      // The first and the third caller see the same classes of claims, so they get the same page.
      expect(tags.size).to.equal(3);
    });

    it('respond 304 only to the caller of the tag', async () => {
      const mine = await server.send('GET', LIST, { token: server.token({ org: 'acme', team: 'eng' }) });
      const headers = { 'if-none-match': mine.headers.get('etag') ?? '' };
      const others = await server.send('GET', LIST, { token: server.token({ org: 'acme' }), headers });
      expect(others.status).to.equal(200);
      expect(namesSeen(others)).to.deep.equal(['com.acme/acme']);
      expect(await server.status('GET', LIST, { token: server.token({ org: 'other' }), headers })).to.equal(
        403,
      );
      expect(await server.status('GET', LIST, { headers })).to.equal(401);
    });

    it('follow the token of each request, not the connection', async () => {
      const answers = await Promise.all(
        Array.from({ length: 60 }, async (_, at) => {
          const isEng = at % 2 === 0;
          const token = server.token({ org: 'acme', ...(isEng ? { team: 'eng' } : {}), jti: String(at) });
          return [isEng, namesSeen(await server.send('GET', LIST, { token })).includes('com.acme/eng')];
        }),
      );
      expect(answers.every(([isEng, seesEng]) => isEng === seesEng)).to.equal(true);
    });
  });
});

/** Sends a path unchanged. `fetch` would normalize it. */
function sendRaw(
  base: string,
  method: string,
  path: string,
  token?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(base);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}
