import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeViolations, findBrowser, TestBrowser, type WatchedPage } from '../../support/browser.ts';
import { CATALOGUE, serverDocument } from '../../support/pages/admin-world.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)>';

/** Every administration page. */
const PAGES = [
  '/manage/sources',
  '/manage/sources/catalogue',
  '/manage/sources/catalogue/entries',
  '/manage/sources/own/edit',
  '/manage/sources/own/remove',
  '/manage/new-source',
  '/manage/new-source?kind=git',
  '/manage/registries',
  '/manage/registries/tools',
  '/manage/registries/tools/entries',
  '/manage/registries/tools/edit',
  '/manage/registries/tools/remove',
  '/manage/new-registry',
  '/manage/publish',
  '/manage/entries',
  '/manage/entries/server/com.acme%2Fnotes',
  '/manage/explain?registry=main&name=com.acme/notes',
  '/manage/audit',
  '/manage/sources/absent',
];

describe('management pages in a browser', function () {
  this.timeout(300_000);
  let browser: TestBrowser;
  let registry: RegistryInProcess;
  let watched: WatchedPage;
  let page: Page;

  before(async function () {
    const program = await findBrowser();
    if (program === undefined) skipSuite(this, 'no chromium on this machine');
    browser = await TestBrowser.open(program);
    registry = await RegistryInProcess.start({
      pages: { 'web-console': {} },
      sources: [{ name: 'catalogue', file: { data: CATALOGUE }, syncPolicy: { interval: '1h' } }],
      registries: [{ name: 'main', sources: ['catalogue'] }],
    });
    await registry.firstSync('catalogue');
    await registry.send('PUT', '/v1/sources/own', { managed: {}, claims: { [HOSTILE]: HOSTILE } });
    await registry.send('PUT', '/v1/registries/tools', { sources: ['own', 'catalogue'] });
    await registry.send('POST', '/v1/entries?source=own', {
      server: serverDocument('com.acme/notes', '1.0.0', { title: 'Notes', description: 'Said a script.' }),
    });
    await registry.send('PATCH', '/v1/entries/server/com.acme%2Fnotes/status', {
      status: 'deprecated',
      statusMessage: HOSTILE,
    });
  });
  after(async () => {
    await registry?.stop();
    await browser?.close();
  });
  beforeEach(async () => {
    watched = await browser.newPage(registry.url);
    page = watched.page;
  });
  afterEach(async () => {
    const { faults } = watched;
    await watched.close();
    expect(faults).to.deep.equal([]);
  });

  for (const { colorScheme, width } of [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 320 },
  ] as const) {
    it(`are accessible (axe), ${colorScheme}, and fit ${width} px`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      for (const path of PAGES) {
        await page.goto(path);
        expect(await axeViolations(page), path).to.deep.equal([]);
        const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect(isTooWide, `${path} is wider than ${width} px`).to.equal(false);
      }
    });
  }

  it('fit a width of 3840 px', async () => {
    await page.setViewportSize({ width: 3840, height: 800 });
    for (const path of PAGES) {
      await page.goto(path);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).to.be.at.most(0);
    }
  });

  it('show that everybody reads a registry when no token is required', async () => {
    await page.goto('/manage/registries');
    expect(await page.locator('td[data-label="Who reads it"]').allTextContents()).to.deep.equal([
      'everybody',
      'everybody',
    ]);
    expect(await page.textContent('.words')).to.include(
      'every caller may, because this server has no authentication',
    );
    await page.goto('/manage/registries/main');
    expect(await page.textContent('main')).to.include('readable: this server has no authentication');
    const trail = await page.locator('.trail a').allTextContents();
    expect(trail).to.deep.equal(['Administration', 'Registries']);
  });

  it('create a source, with problems at their fields', async () => {
    await page.goto('/manage/sources');
    await page.click('text=New source');
    await page.click('text=Managed source');
    await page.click('text=Make the source');
    expect(await page.locator('[aria-invalid="true"]').getAttribute('name')).to.equal('name');
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.fill('[name="name"]', 'made-here');
    await page.fill('[name="claims.0.name"]', 'org');
    await page.fill('[name="claims.0.value"]', 'acme');
    // The Enter key makes the source, and no row.
    await page.press('[name="claims.0.value"]', 'Enter');
    await page.waitForURL('**/manage/sources/made-here?done=source-made');
    expect(await page.textContent('[role="status"]')).to.equal(
      'The source is made. Its first sync has begun.',
    );
    expect((await registry.send('GET', '/v1/sources/made-here')).body['claims']).to.deep.equal({
      org: 'acme',
    });
  });

  it('show problems of a document while the user types, and publish it', async () => {
    await page.goto('/manage/publish');
    await page.fill('[name="document"]', '{"name": "com.acme/typed"');
    await page.waitForSelector('#findings-list >> text=This is not JSON');
    await page.fill(
      '[name="document"]',
      JSON.stringify({ ...serverDocument('com.acme/typed'), version: 'latest' }),
    );
    await page.waitForSelector('#findings-list >> text=version');
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.fill('[name="document"]', JSON.stringify(serverDocument('com.acme/typed')));
    await page.waitForSelector('#findings-list >> text=Nothing is wrong with the document.');
    expect((await registry.send('GET', '/v1/entries/server/com.acme%2Ftyped')).status).to.equal(404);
    await page.selectOption('[name="source"]', 'own');
    await page.click('.actions button[value="publish"]');
    await page.waitForURL('**/manage/entries/server/com.acme%2Ftyped**');
    expect(await page.textContent('[role="status"]')).to.equal('The version is published.');
  });

  it('work without scripts', async () => {
    const plain = await browser.newPage(registry.url, { javaScriptEnabled: false });
    try {
      await plain.page.goto('/manage/publish');
      await plain.page.fill('[name="document"]', '{}');
      await plain.page.click('.actions button[value="check"]');
      await plain.page.waitForSelector('#findings-list li');
      await plain.page.goto('/manage/sources/catalogue');
      await plain.page.click('text=Sync now');
      await plain.page.waitForURL('**/manage/sources/catalogue?done=sync-due');
      expect(plain.faults).to.deep.equal([]);
    } finally {
      await plain.close();
    }
  });
});
