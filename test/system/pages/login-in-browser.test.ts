import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { axeViolations, findBrowser, TestBrowser, type WatchedPage } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { skipSuite } from '../../support/skip-suite.ts';

describe('login in a browser with a real authorization server', function () {
  this.timeout(180_000);
  const close: (() => Promise<unknown>)[] = [];
  let address: string;
  let world: OauthWorld;
  let watched: WatchedPage;

  before(async function () {
    const executable = await findBrowser();
    if (executable === undefined) skipSuite(this, 'this machine has no Chromium');
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-browser-'));
    close.push(() => rm(folder, { recursive: true }));
    const keyFile = path.join(folder, 'keys');
    const secretFile = path.join(folder, 'secret');
    await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    await writeFile(secretFile, 'secret-of-the-pages');
    const port = await freePort();
    address = `http://localhost:${port}`;
    world = await OauthWorld.open({
      clients: [
        {
          client_id: 'pages',
          client_secret: 'secret-of-the-pages',
          redirect_uris: [`${address}/login/callback`],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
    });
    close.push(() => world.close());
    const registry = await RegistryInProcess.start({
      sources: [{ name: 'all', managed: {} }],
      registries: [
        { name: 'everybody', sources: ['all'], public: true },
        { name: 'guarded', sources: ['all'], claims: { sub: 'ada' } },
      ],
      auth: {
        mode: 'oauth',
        oauth: {
          providers: [
            {
              name: 'Ferry Terminal',
              issuerUrl: world.issuer,
              audience: 'ferries',
              allowPrivateIP: true,
              login: { clientId: 'ferries', scopes: ['openid'], token: 'id_token' },
            },
            {
              name: 'Harbour Office',
              issuerUrl: world.issuer,
              audience: 'pages',
              allowPrivateIP: true,
              login: {
                clientId: 'pages',
                clientSecretFile: secretFile,
                scopes: ['openid'],
                token: 'id_token',
              },
            },
          ],
        },
        authz: { roles: { superAdmin: [{ role: 'admin' }] } },
      },
      pages: { 'web-console': {} },
      sessions: { keyFile },
      server: { address: `127.0.0.1:${port}`, internalAddress: 'off', publicUrl: address },
    });
    close.push(() => registry.stop());
    const browser = await TestBrowser.open(executable);
    close.push(() => browser.close());
    watched = await browser.newPage(address);
    close.push(() => watched.close());
  });
  after(async () => {
    for (const each of close.toReversed()) await each();
  });

  it('shows public entries, then those of the person, and public entries again after the logout', async () => {
    const { page, faults } = watched;
    await page.goto('/');
    expect(await page.textContent('main'))
      .to.include('everybody')
      .and.to.not.include('guarded');
    expect(await page.context().cookies()).to.deep.equal([]);
    await page.click('text=Log in');
    await page.waitForSelector('text=Log in with Ferry Terminal');
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.click('text=Log in with Harbour Office');
    await page.waitForSelector('text=Log out');
    expect(page.url()).to.equal(`${address}/`);
    expect(await page.textContent('main'))
      .to.include('everybody')
      .and.include('guarded');
    expect(await axeViolations(page)).to.deep.equal([]);
    // Neither scripts nor addresses contain the session.
    expect(
      await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).to.equal('{}');
    // The provider is on localhost, too.
    const own = (await page.context().cookies(address)).filter(({ name }) => name.includes('portolan'));
    expect(own.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).to.deep.equal([
      ['portolan-session', true, 'Lax'],
    ]);
    await page.click('text=Log out');
    await page.waitForSelector('text=Log in');
    expect(await axeViolations(page)).to.deep.equal([]);
    expect(await page.textContent('main')).to.not.include('guarded');
    await page.goBack();
    expect(await page.textContent('main')).to.not.include('guarded');
    expect(faults.filter((fault) => !fault.startsWith(`request to ${world.issuer}/`))).to.deep.equal([]);
  });

  it('is accessible (axe) when a login fails', async () => {
    const { page } = watched;
    const answer = await page.goto('/login/callback?code=x&state=y');
    expect(answer?.status()).to.be.within(400, 499);
    expect(await axeViolations(page)).to.deep.equal([]);
  });

  it('rejects its form from a page of another site', async () => {
    const { page } = watched;
    await page.goto('/login?provider=Harbour+Office');
    await page.waitForSelector('text=Log out');
    await page.goto('data:text/html,<h1>Elsewhere</h1>');
    await page.evaluate(
      `document.body.innerHTML = '<form method="post" action="${address}/logout"><button>Win</button></form>'`,
    );
    await page.click('text=Win');
    await page.waitForSelector('text=ERR_ORIGIN_NOT_ALLOWED');
    await page.goto('/');
    await page.waitForSelector('text=Log out');
  });
});
