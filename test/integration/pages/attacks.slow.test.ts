import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { csrfOf } from '../../../plugins/web-console/src/login/visitor.ts';
import { ADA, csrfIn, EVE, inDatabase, LoginWorld, seenAs } from '../../support/pages/login-world.ts';
import type { PageBrowser, Shown } from '../../support/pages/page-browser.ts';

type Document = Readonly<Record<string, unknown>>;

/** An attempt of an attacker, and its result. */
interface Attack {
  readonly title: string;
  readonly run: (world: LoginWorld) => Promise<unknown>;
  readonly expected: unknown;
}

const edited = (url: URL, edit: (query: URLSearchParams) => void): string => {
  const copy = new URL(url);
  edit(copy.searchParams);
  return copy.href;
};

/** Returns the status of a login whose redirect was changed, and the user of the browser afterwards. */
const comesBack =
  (edit: (query: URLSearchParams, world: LoginWorld) => void) =>
  async (world: LoginWorld): Promise<unknown> => {
    const browser = world.browser();
    const url = await world.cameBack(browser);
    const { status } = await browser.get(edited(url, (query) => edit(query, world)));
    return [status, await seenAs(browser)];
  };

/** Returns where a login leads that began with this return address. */
const returnsTo =
  (back: string) =>
  async (world: LoginWorld): Promise<unknown> => {
    const { location = '', headers } = await world.logIn(world.browser(), ADA, 'main', back);
    return [location, headers.get('x-injected')];
  };

/** Sends a logout from another site in the browser of Ada. Returns the status and her user afterwards. */
const forged =
  (send: (browser: PageBrowser, csrf: string, world: LoginWorld) => Promise<Shown>) =>
  async (world: LoginWorld): Promise<unknown> => {
    const browser = await world.loggedIn();
    const csrf = await csrfIn(browser);
    const { status } = await send(browser, csrf, world);
    return [status, await seenAs(browser)];
  };

/** Returns the user of a browser with an invented session cookie. */
const presents =
  (make: (session: string, world: LoginWorld) => string | Promise<string>) =>
  async (world: LoginWorld): Promise<unknown> => {
    const browser = await world.loggedIn();
    const stranger = world.browser();
    stranger.cookies.set('__Secure-portolan-session', await make(browser.cookie('session'), world));
    return await seenAs(stranger);
  };

const flipped = (text: string): string => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
const FORM = 'application/x-www-form-urlencoded';
const REFUSED = [403, 'nobody'];
const STILL_ADA = [403, 'Ada'];
const HOME = [`${LoginWorld.publicUrl}/`, null];

const ATTACKS: readonly Attack[] = [
  // Logins
  {
    title: 'a callback without a login in this browser',
    run: async (world) => {
      const { status, text } = await world.browser().get('/login/callback?code=x&state=y');
      return [status, text.includes('did not begin in this browser')];
    },
    expected: [400, true],
  },
  {
    title: "login CSRF: the callback of the attacker's own login, in the browser of the victim",
    run: async (world) => {
      const victim = world.browser();
      await world.cameBack(victim);
      const attackers = await world.cameBack(world.browser(), EVE);
      return [(await victim.get(attackers.href)).status, await seenAs(victim)];
    },
    expected: REFUSED,
  },
  {
    title: 'login CSRF: the same with the state of the victim',
    run: async (world) => {
      const victim = world.browser();
      const own = await world.cameBack(victim);
      const theirs = await world.cameBack(world.browser(), EVE);
      const mixed = edited(theirs, (query) => query.set('state', own.searchParams.get('state') ?? ''));
      return [(await victim.get(mixed)).status, await seenAs(victim)];
    },
    expected: REFUSED,
  },
  { title: 'another state', run: comesBack((query) => query.set('state', 'other')), expected: REFUSED },
  { title: 'no state', run: comesBack((query) => query.delete('state')), expected: REFUSED },
  { title: 'two states', run: comesBack((query) => query.append('state', 'other')), expected: REFUSED },
  {
    title: 'mix-up: the response of another issuer',
    run: comesBack((query, { other }) => query.set('iss', other.issuerUrl)),
    expected: REFUSED,
  },
  {
    title: 'mix-up: a response without an issuer',
    run: comesBack((query) => query.delete('iss')),
    expected: REFUSED,
  },
  {
    title: 'mix-up: the code of another provider',
    run: async (world) => {
      const browser = world.browser();
      const theirs = await world.cameBack(world.browser(), EVE, 'other');
      const own = await world.cameBack(browser);
      const code = theirs.searchParams.get('code') ?? '';
      return [
        (await browser.get(edited(own, (query) => query.set('code', code)))).status,
        await seenAs(browser),
      ];
    },
    expected: REFUSED,
  },
  { title: 'a wrong code', run: comesBack((query) => query.set('code', 'guessed')), expected: REFUSED },
  {
    title: 'a used code: the same callback again',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser);
      const before = browser.stolen();
      await browser.get(url.href);
      return [
        (await browser.get(url.href)).status,
        (await before.get(url.href)).status,
        await seenAs(before),
      ];
    },
    expected: [400, 403, 'nobody'],
  },
  {
    title: 'a callback with an error and an invalid error text',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser);
      const { status, text } = await browser.get(
        edited(url, (query) => {
          query.delete('code');
          query.set('error', 'access_denied');
          query.set('error_description', '<script>alert(1)</script> call 555-EVIL');
        }),
      );
      return [status, /<script>alert|555-EVIL/.test(text), await seenAs(browser)];
    },
    expected: [403, false, 'nobody'],
  },
  {
    title: 'a changed cookie of a pending login',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser);
      const name = '__Secure-portolan-login';
      const sealed = browser.cookies.get(name) ?? '';
      browser.cookies.set(name, `${sealed.slice(0, -4)}${flipped(sealed.slice(-4))}`);
      return (await browser.get(url.href)).status;
    },
    expected: 400,
  },
  {
    title: 'an expired cookie of a pending login',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser);
      world.clock.advance(600_001);
      return (await browser.get(url.href)).status;
    },
    expected: 400,
  },
  {
    title: 'a cookie of a pending login as a session, and the reverse',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser);
      const stranger = world.browser();
      stranger.cookies.set('__Secure-portolan-session', browser.cookie('login'));
      const other = await world.loggedIn();
      other.cookies.set('__Secure-portolan-login', other.cookie('session'));
      return [await seenAs(stranger), (await other.get(url.href)).status];
    },
    expected: ['nobody', 400],
  },
  {
    title: 'an unknown provider',
    run: async (world) => {
      const { status, location, text } = await world.browser().get('/login?provider=https://evil.example');
      return [status, location, text.includes('evil.example')];
    },
    expected: [200, undefined, false],
  },
  {
    title: 'another host in the headers of the request, for the redirect address',
    run: async (world) => {
      const headers = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
      };
      const { location = '' } = await world.browser().get('/login?provider=main', headers);
      return new URL(location).searchParams.get('redirect_uri');
    },
    expected: `${LoginWorld.publicUrl}/login/callback`,
  },
  {
    title: 'a token of the provider for another audience',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser, { ...EVE, aud: 'another-service' });
      return [(await browser.get(url.href)).status, await seenAs(browser), browser.cookie('session')];
    },
    expected: [403, 'nobody', ''],
  },
  // Where a login leads
  ...[
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example/',
    'javascript:alert(1)',
    '/login?return=/login',
    '/%0d%0aX-Injected:%20yes\r\nX-Injected: yes',
    `/${'a'.repeat(2000)}`,
  ].map((back) => ({
    title: `open redirect: ${JSON.stringify(back).slice(0, 50)}`,
    run: returnsTo(back),
    expected: HOME,
  })),
  // Sessions
  {
    title: 'session fixation: an ID that was set before the login',
    run: async (world) => {
      const victim = world.browser();
      const planted = randomBytes(32).toString('base64url');
      victim.cookies.set('__Secure-portolan-session', planted);
      await world.logIn(victim);
      const attacker = world.browser();
      attacker.cookies.set('__Secure-portolan-session', planted);
      return [await seenAs(victim), await seenAs(attacker), victim.cookie('session') === planted];
    },
    expected: ['Ada', 'nobody', false],
  },
  {
    title: 'session fixation: a valid session of the attacker, set before the login',
    run: async (world) => {
      const attacker = await world.loggedIn(EVE);
      const victim = attacker.stolen();
      // A logged-in user is redirected. The victim returns with a login that began before.
      victim.cookies.delete('__Secure-portolan-session');
      const url = await world.cameBack(victim);
      victim.cookies.set('__Secure-portolan-session', attacker.cookie('session'));
      await victim.get(url.href);
      return [await seenAs(victim), await seenAs(attacker)];
    },
    expected: ['Ada', 'nobody'],
  },
  {
    title: 'a stolen cookie after the logout',
    run: async (world) => {
      const browser = await world.loggedIn();
      const thief = browser.stolen();
      await browser.post('/logout', { csrf: await csrfIn(browser) });
      return await seenAs(thief);
    },
    expected: 'nobody',
  },
  { title: 'an ID with one changed letter', run: presents((id) => flipped(id)), expected: 'nobody' },
  { title: 'an ID with a suffix', run: presents((id) => `${id}A`), expected: 'nobody' },
  {
    title: 'a guessed ID',
    run: presents(() => randomBytes(32).toString('base64url')),
    expected: 'nobody',
  },
  { title: 'an ID with SQL', run: presents(() => "' or 1=1 --"), expected: 'nobody' },
  {
    title: 'the stored hash of an ID as the ID',
    run: presents((_id, world) =>
      inDatabase(world, (database) =>
        String(database.prepare('select id_hash from browser_session').get()?.['id_hash']),
      ),
    ),
    expected: 'nobody',
  },
  {
    title: 'a database row with the tokens of another user',
    run: async (world) => {
      const ada = await world.loggedIn(ADA);
      inDatabase(world, (database) => database.exec('delete from browser_session'));
      const [left, right] = [await world.loggedIn(ADA), await world.loggedIn(EVE)];
      inDatabase(world, (database) => {
        const rows = database.prepare('select id_hash, sealed from browser_session').all();
        const update = database.prepare('update browser_session set sealed = ? where id_hash = ?');
        for (const [index, row] of rows.entries())
          update.run(String(rows[1 - index]?.['sealed']), String(row['id_hash']));
      });
      return [await seenAs(ada), await seenAs(left), await seenAs(right)];
    },
    expected: ['nobody', 'nobody', 'nobody'],
  },
  {
    title: 'a changed database row',
    run: async (world) => {
      const ada = await world.loggedIn();
      inDatabase(world, (database) =>
        database.exec("update browser_session set sealed = 'AAAA' || substr(sealed, 5)"),
      );
      return await seenAs(ada);
    },
    expected: 'nobody',
  },
  {
    title: 'tokens and IDs read from the database',
    run: async (world) => {
      const browser = await world.loggedIn();
      const text = inDatabase(world, (database) =>
        JSON.stringify(database.prepare('select * from browser_session').all()),
      );
      const secrets = [browser.cookie('session'), ...world.main.issued];
      return [secrets.length > 3, secrets.filter((secret) => text.includes(secret))];
    },
    expected: [true, []],
  },
  {
    title: 'a session of a replica with other keys, in both directions',
    run: async (world) => {
      const browser = await world.loggedIn();
      const foreign = await world.start(true);
      const abroad = browser.stolen(foreign);
      const begun = world.browser();
      const url = await world.cameBack(begun);
      begun.server = foreign;
      return [await seenAs(abroad), (await begun.get(url.href)).status, await seenAs(browser)];
    },
    expected: ['nobody', 400, 'Ada'],
  },
  {
    title: 'the cookie under a name that a site without TLS could set',
    run: async (world) => {
      const browser = await world.loggedIn();
      const other = world.browser();
      other.cookies.set('portolan-session', browser.cookie('session'));
      other.cookies.set('__Host-portolan-session', browser.cookie('session'));
      return await seenAs(other);
    },
    expected: 'nobody',
  },
  // Forms
  {
    title: 'CSRF: a form without a token',
    run: forged((browser) => browser.post('/logout', {})),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: the token of another user',
    run: forged(async (browser, _csrf, world) =>
      browser.post('/logout', { csrf: await csrfIn(await world.loggedIn(EVE)) }),
    ),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: the right token and a second one',
    run: forged((browser, csrf) => browser.post('/logout', `csrf=${csrf}&csrf=x`)),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: the token in the address',
    run: forged((browser, csrf) => browser.post(`/logout?csrf=${csrf}`, {})),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: a request that the browser says comes from another site',
    run: forged((browser, csrf) => browser.post('/logout', { csrf }, { 'sec-fetch-site': 'cross-site' })),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: a request of a sibling host',
    run: forged((browser, csrf) => browser.post('/logout', { csrf }, { 'sec-fetch-site': 'same-site' })),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: a request with the origin of another site',
    run: forged((browser, csrf) => browser.post('/logout', { csrf }, { origin: 'https://evil.example' })),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: a request of a frame without an origin',
    run: forged((browser, csrf) => browser.post('/logout', { csrf }, { origin: 'null' })),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: a form as JSON, which a cross-site script cannot send without CORS',
    run: forged((browser, csrf) =>
      browser.post('/logout', JSON.stringify({ csrf }), { 'content-type': 'application/json' }),
    ),
    expected: STILL_ADA,
  },
  {
    title: 'CSRF: a form as plain text',
    run: forged((browser, csrf) => browser.post('/logout', `csrf=${csrf}`, { 'content-type': 'text/plain' })),
    expected: [415, 'Ada'],
  },
  {
    title: 'a logout by GET, as from an image',
    run: forged((browser) => browser.get('/logout')),
    expected: [401, 'Ada'],
  },
  {
    title: 'method override: a GET that claims to be a POST',
    run: forged((browser, csrf) =>
      browser.get(`/logout?_method=POST&csrf=${csrf}`, {
        'x-http-method-override': 'POST',
        'content-type': FORM,
      }),
    ),
    expected: [401, 'Ada'],
  },
  {
    title: 'a form of a page from before the login',
    run: forged((browser) => {
      browser.cookies.set('__Secure-portolan-visitor', 'chosen');
      return browser.post('/logout', { csrf: csrfOf('chosen') });
    }),
    expected: STILL_ADA,
  },
  // What is shown
  {
    title: 'cached pages of another caller',
    run: async (world) => {
      const ada = await world.browser().get('/');
      const seen = await (await world.loggedIn()).get('/');
      const eve = await world.browser().get('/', {
        'if-none-match': seen.headers.get('etag') ?? '*',
        'if-modified-since': new Date().toUTCString(),
      });
      return [ada, seen, eve].map(({ status, headers, text }) => [
        status,
        headers.get('cache-control'),
        text.includes('Log out'),
      ]);
    },
    expected: [
      [200, 'no-store', false],
      [200, 'no-store', true],
      [200, 'no-store', false],
    ],
  },
  {
    title: 'the cookie as a credential of the API',
    run: async (world) => {
      const browser = await world.loggedIn();
      const answers = ['/v1/me', '/registry/maps/v0.1/servers'].map(
        async (target) => (await browser.send(target, {})).status,
      );
      const write = await browser.send('/v1/sources/evil', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: '{"managed":{}}',
      });
      return [...(await Promise.all(answers)), write.status];
    },
    expected: [401, 401, 401],
  },
  {
    title: 'data beyond the rights of the token',
    run: async (world) => {
      const { text } = await (await world.loggedIn(EVE)).get('/');
      return [text.includes('>spies<'), text.includes('>maps<')];
    },
    expected: [true, false],
  },
  {
    title: 'clickjacking: login pages in a frame',
    run: async (world) => {
      const pages = ['/login', '/login/callback?code=x', '/'].map(
        async (page) => (await world.browser().get(page)).headers,
      );
      return (await Promise.all(pages)).map((headers) => [
        headers.get('x-frame-options'),
        /frame-ancestors 'none'/.test(headers.get('content-security-policy') ?? ''),
      ]);
    },
    expected: [
      ['DENY', true],
      ['DENY', true],
      ['DENY', true],
    ],
  },
  {
    title: 'referrer leaks: the address of a callback',
    run: async (world) => {
      const browser = world.browser();
      const url = await world.cameBack(browser);
      const failed = await world.browser().get(url.href);
      const went = await browser.get(url.href);
      return [failed, went].map(({ headers, text }) => [
        headers.get('referrer-policy'),
        text.includes(url.searchParams.get('code') ?? ''),
      ]);
    },
    expected: [
      ['no-referrer', false],
      ['no-referrer', false],
    ],
  },
  {
    title: 'script in the name of a user',
    run: async (world) => {
      const browser = world.browser();
      await world.logIn(browser, { sub: 'mallory', name: '<script>alert(1)</script>"onload="x' });
      const { text } = await browser.get('/');
      return [text.includes('Log out'), text.includes('<script>alert'), text.includes('"onload="')];
    },
    expected: [true, false, false],
  },
  {
    title: 'response headers by the name of a user',
    run: async (world) => {
      const browser = world.browser();
      const { status } = await world.logIn(browser, { sub: 'mallory', name: 'x\r\nSet-Cookie: a=b' });
      return [status, browser.set.some((line) => line.startsWith('a='))];
    },
    expected: [303, false],
  },
];

describe('attacks on the login pages', () => {
  let world: LoginWorld;
  before(async () => {
    world = await LoginWorld.open();
  });
  after(() => world.close());

  it('are at least forty', () => {
    expect(new Set(ATTACKS.map(({ title }) => title)).size)
      .to.equal(ATTACKS.length)
      .and.to.be.at.least(40);
  });

  for (const { title, run, expected } of ATTACKS) {
    it(`are refused: ${title}`, async () => {
      expect(await run(world)).to.deep.equal(expected);
    });
  }

  it('put no token, code, secret or session ID into the log, for any response of the provider', async () => {
    const browser = world.browser();
    const url = await world.cameBack(browser);
    await browser.get(url.href);
    world.main.refusal = { status: 400, body: { error: 'invalid_grant' } };
    world.clock.advance(280_000);
    await seenAs(browser);
    world.main.refusal = undefined;
    const spoilt: ((answer: Document) => Document)[] = [
      (answer) => ({ ...answer, token_type: 'mac' }),
      ({ access_token: _token, ...answer }) => answer,
      (answer) => ({ ...answer, access_token: [answer['access_token']] }),
      (answer) => ({ ...answer, id_token: answer['refresh_token'] }),
      (answer) => ({ ...answer, id_token: world.main.tokenFor({ ...EVE, nonce: 'theirs' }) }),
    ];
    for (const spoil of spoilt) {
      world.main.spoil = spoil;
      expect((await world.logIn(world.browser())).status).to.equal(403);
      world.main.spoil = undefined;
      const renewed = await world.loggedIn();
      world.clock.advance(280_000);
      world.main.spoil = spoil;
      await seenAs(renewed);
    }
    world.main.spoil = undefined;
    const log = world.log.join('');
    const forms = world.main.tokenRequests.flatMap((form) =>
      ['code', 'code_verifier', 'refresh_token', 'client_secret'].flatMap((name) => form.getAll(name)),
    );
    const state = url.searchParams.get('state') ?? '';
    const secrets = [...world.main.issued, ...forms, browser.cookie('session'), state, 'hunter2'].filter(
      (secret) => secret !== '',
    );
    expect(secrets.length).to.be.greaterThan(50);
    expect(secrets.filter((secret) => log.includes(secret))).to.deep.equal([]);
    expect(log).to.include('a user has logged in with a browser').and.include('a login failed');
  });
});
