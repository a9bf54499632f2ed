import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { ADA, csrfIn, EVE, inDatabase, LoginWorld, seenAs } from '../../support/pages/login-world.ts';

describe('login and logout on pages', () => {
  let world: LoginWorld;
  before(async () => {
    world = await LoginWorld.open();
  });
  after(() => world.close());

  it('offers the providers, returns to the first page, and shows what the token allows', async () => {
    const browser = world.browser();
    const before = await browser.get('/');
    expect(before.text).to.include('href="/mcp/login"').and.to.not.include('maps');
    const choice = await browser.get('/login?return=%2F%3Fq%3Da%26b');
    expect(
      [...choice.text.matchAll(/href="(\/mcp\/login\?[^"]+)"/g)].map(([, href = '']) => href),
    ).to.deep.equal([
      '/mcp/login?provider=main&amp;return=%2F%3Fq%3Da%26b',
      '/mcp/login?provider=other&amp;return=%2F%3Fq%3Da%26b',
    ]);
    const done = await world.logIn(browser, ADA, 'other', '/?q=a&b');
    expect([done.status, done.location]).to.deep.equal([303, `${LoginWorld.publicUrl}/?q=a&b`]);
    const home = await browser.get('/');
    expect(home.text).to.include('Ada').and.include('>maps<').and.to.not.include('>spies<');
  });

  it('sets cookies with HttpOnly, SameSite and Secure', async () => {
    const browser = await world.loggedIn();
    const [session = ''] = browser.set.filter((line) => line.startsWith('__Secure-portolan-session='));
    expect(session).to.match(/; Path=\/mcp; HttpOnly; SameSite=Lax; Secure$/);
    for (const line of browser.set) expect(line).to.include('HttpOnly').and.include('Secure');
  });

  it('sends a login request with PKCE, state and nonce to the provider, with the configured redirect address', async () => {
    const { location = '' } = await world
      .browser()
      .get('/login?provider=main', { host: 'evil.example', 'x-forwarded-host': 'evil.example' });
    const { searchParams: asked } = new URL(location);
    expect(asked.get('redirect_uri')).to.equal(`${LoginWorld.publicUrl}/login/callback`);
    expect(asked.get('code_challenge_method')).to.equal('S256');
    for (const name of ['code_challenge', 'state', 'nonce'])
      expect(asked.get(name), name).to.match(/^.{43}$/);
    expect(location).to.not.include('hunter2');
  });

  it('logout › deletes the session, revokes the token at the provider and makes the cookie invalid', async () => {
    const browser = await world.loggedIn();
    const stolen = browser.stolen();
    const csrf = await csrfIn(browser);
    const before = world.main.revoked.length;
    const out = await browser.post('/logout', { csrf });
    expect([out.status, out.location]).to.deep.equal([303, `${LoginWorld.publicUrl}/`]);
    expect([await seenAs(browser), await seenAs(stolen)]).to.deep.equal(['nobody', 'nobody']);
    await eventually(() => expect(world.main.revoked).to.have.lengthOf(before + 1));
  });

  it('logout › links to the logout page of the provider', async () => {
    const browser = world.browser();
    await world.logIn(browser, ADA, 'other');
    const out = await browser.post('/logout', { csrf: await csrfIn(browser) });
    expect(out.status).to.equal(200);
    expect(out.text).to.include('You are logged out here').and.not.include('Ada').and.not.include('Log out<');
    const [, link = ''] = /href="([^"]+)"[^>]*>Log out of other, too</.exec(out.text) ?? [];
    const there = new URL(link.replaceAll('&amp;', '&'));
    expect(`${there.origin}${there.pathname}`).to.equal(`${new URL(world.other.issuerUrl).origin}/end`);
    const { id_token_hint: hint, ...asked } = Object.fromEntries(there.searchParams);
    expect(asked).to.deep.equal({
      client_id: 'pages',
      post_logout_redirect_uri: `${LoginWorld.publicUrl}/`,
    });
    expect(world.other.issued).to.include(hint);
    expect(await seenAs(browser)).to.equal('nobody');
    expect(world.log.join('')).to.not.include(hint);
  });

  it('distinguishes an unavailable provider from a provider that refuses the login', async () => {
    const browser = world.browser();
    const back = await world.cameBack(browser);
    world.main.refusal = { status: 503, body: {} };
    const told = await browser.get(back.href);
    world.main.refusal = { status: 400, body: { error: 'invalid_grant' } };
    const again = await browser.get((await world.cameBack(browser)).href);
    world.main.refusal = undefined;
    expect([told.status, again.status]).to.deep.equal([503, 403]);
    expect(told.text).to.include('is unavailable').and.not.include('refused');
    expect(again.text).to.include('refused the login');
  });

  it('renews an expiring token once for concurrent page requests', async () => {
    const browser = await world.loggedIn();
    const count = () =>
      world.main.tokenRequests.filter((form) => form.get('grant_type') === 'refresh_token').length;
    const before = count();
    world.clock.advance(280_000);
    const seen = await Promise.all(Array.from({ length: 10 }, () => seenAs(browser.stolen())));
    expect([...new Set(seen), count() - before]).to.deep.equal(['Ada', 1]);
    expect(world.main.replayed).to.deep.equal([]);
  });

  it('keeps the session while the provider is down, and ends it when the provider refuses the renewal', async () => {
    const browser = await world.loggedIn();
    world.clock.advance(280_000);
    world.main.refusal = { status: 503, body: { error: 'temporarily_unavailable' } };
    expect(await seenAs(browser)).to.equal('Ada');
    world.clock.advance(60_000);
    expect(await seenAs(browser), 'the token has ended').to.equal('nobody');
    world.main.refusal = undefined;
    expect(await seenAs(browser), 'it is up again').to.equal('Ada');
    world.clock.advance(280_000);
    world.main.refusal = { status: 400, body: { error: 'invalid_grant' } };
    expect(await seenAs(browser)).to.equal('nobody');
    world.main.refusal = undefined;
    expect(await seenAs(browser), 'its session is gone').to.equal('nobody');
  });

  it('logout › works while the provider is down and the token has expired', async () => {
    const browser = await world.loggedIn();
    const csrf = await csrfIn(browser);
    world.main.refusal = { status: 503, body: { error: 'temporarily_unavailable' } };
    world.clock.advance(400_000);
    const stolen = browser.stolen();
    expect((await browser.post('/logout', { csrf })).status).to.equal(303);
    world.main.refusal = undefined;
    expect(await seenAs(stolen)).to.equal('nobody');
  });

  it('logout during a renewal › ends the session and revokes the renewed token', async () => {
    const browser = await world.loggedIn(EVE);
    const other = browser.stolen();
    const csrf = await csrfIn(browser);
    world.clock.advance(280_000);
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    world.main.beforeRefresh = async () => {
      asked.resolve();
      await answered.promise;
    };
    const renewing = seenAs(other);
    await asked.promise;
    // Deletes the session in the database, like a logout at any replica.
    inDatabase(world, (database) => database.exec('delete from browser_session'));
    answered.resolve();
    expect(await renewing).to.equal('nobody');
    world.main.beforeRefresh = async () => {};
    const out = await browser.post('/logout', { csrf });
    expect([out.status, await seenAs(browser)]).to.deep.equal([303, 'nobody']);
    const brought = world.main.renewals.at(-1);
    await eventually(() => expect(world.main.revoked).to.include(brought));
  });
});
