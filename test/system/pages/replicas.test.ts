import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { skipSuite } from '../../support/skip-suite.ts';
import { createTestDatabase, POSTGRES, type TestDatabase } from '../../support/test-database.ts';
import { csrfIn, LoginWorld, seenAs } from '../../support/pages/login-world.ts';

describe('login at two replicas with one PostgreSQL', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let world: LoginWorld;

  before(async function () {
    if (POSTGRES === undefined) skipSuite(this, 'PORTOLAN_TEST_POSTGRES_URL names no server');
    database = await createTestDatabase('PostgreSQL', '');
    world = await LoginWorld.open(database.url);
    await world.start();
  });
  after(async () => {
    await world?.close();
    await database?.remove();
  });

  it('starts at one, ends at the other, and is valid at both', async () => {
    const browser = world.browser(0);
    const url = await world.cameBack(browser);
    browser.server = world.url(1);
    await browser.get(url.href);
    expect([await seenAs(browser), await seenAs(browser.stolen(world.url(0)))]).to.deep.equal(['Ada', 'Ada']);
  });

  it('is renewed once for concurrent requests at both', async () => {
    const first = await world.loggedIn();
    const second = first.stolen(world.url(1));
    const renewals = () =>
      world.main.tokenRequests.filter((form) => form.get('grant_type') === 'refresh_token').length;
    const before = renewals();
    world.clock.advance(280_000);
    // The response waits until both requests for pages, and so for the token, have arrived.
    let release = (): void => {};
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.main.beforeRefresh = () => asked;
    const seen = [first, second, first, second, first, second].map((each) => seenAs(each.stolen()));
    await eventually(() => expect(renewals()).to.be.greaterThan(before));
    release();
    expect([...new Set(await Promise.all(seen))]).to.deep.equal(['Ada']);
    expect([renewals() - before, world.main.replayed]).to.deep.equal([1, []]);
  });

  it('ends at both with a logout at one', async () => {
    const first = await world.loggedIn();
    const second = first.stolen(world.url(1));
    expect(await seenAs(second)).to.equal('Ada');
    await first.post('/logout', { csrf: await csrfIn(first) });
    expect([await seenAs(first.stolen()), await seenAs(second)]).to.deep.equal(['nobody', 'nobody']);
  });
});
