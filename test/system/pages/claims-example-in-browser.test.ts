import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import { PEOPLE } from '../../../examples/claims-registry/people.ts';
import type { Json } from '../../support/counting-registry.ts';
import { axeViolations, findBrowser, TestBrowser, type WatchedPage } from '../../support/browser.ts';
import { serverDocument } from '../../support/pages/admin-world.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const EXAMPLE = path.join(import.meta.dirname, '../../../examples/claims-registry');
const REGISTRIES = ['company', 'platform', 'open'];
const KINDS = { servers: 'servers', skills: 'x/dev.portolan/skills', plugins: 'x/dev.portolan/plugins' };

/** Configuration of the example, with another issuer, and people whose token a proxy adds. */
async function exampleConfig(issuerUrl: string): Promise<Json> {
  const { sources, registries, auth, pages } = parse(
    await readFile(path.join(EXAMPLE, 'portolan.config.yaml'), 'utf8'),
  );
  const provider = { name: 'acme', issuerUrl, audience: 'portolan', allowPrivateIP: true };
  return {
    sources: (sources as Json[]).map((source) => {
      const { file } = source as { readonly file?: { readonly path: string } };
      return file === undefined ? source : { ...source, file: { path: path.join(EXAMPLE, file.path) } };
    }),
    registries,
    auth: { ...auth, oauth: { ...auth.oauth, providers: [provider] } },
    pages,
  };
}

describe('examples/claims-registry in Chromium', function () {
  this.timeout(300_000);
  let browser: TestBrowser;
  let issuer: TestIssuer;
  let registry: RegistryInProcess;
  let watched: WatchedPage;
  let page: Page;

  const tokenOf = (person: string): string => issuer.sign({ sub: person, ...PEOPLE.get(person)?.claims });
  const headersOf = (person: string | undefined): Record<string, string> =>
    person === undefined ? {} : { authorization: `Bearer ${tokenOf(person)}` };

  /** Returns the names of a kind that the API lists for a caller, or undefined if it refuses. */
  async function namesOf(person: string | undefined, of: string, kind: string): Promise<readonly string[]> {
    const list = KINDS[kind as keyof typeof KINDS];
    const answer = await fetch(`${registry.url}/registry/${of}/v0.1/${list}?version=latest&limit=100`, {
      headers: headersOf(person),
    });
    if (answer.status !== 200) return [];
    const items = JSON.parse(await answer.text())[kind] as Json[];
    return items.map((item) => {
      const { name, namespace } = Object(item[kind.slice(0, -1)]);
      return namespace === undefined ? name : `${namespace}/${name}`;
    });
  }

  before(async function () {
    const program = await findBrowser();
    if (program === undefined) skipSuite(this, 'no chromium on this machine');
    browser = await TestBrowser.open(program);
    issuer = await startTestIssuer();
    registry = await RegistryInProcess.start(await exampleConfig(issuer.issuerUrl), tokenOf('root'));
    for (const source of ['company', 'platform', 'data', 'open']) await registry.firstSync(source);
  });
  after(async () => {
    await registry?.stop();
    await issuer?.close();
    await browser?.close();
  });
  afterEach(async () => {
    const { faults } = watched;
    await watched.close();
    expect(faults).to.deep.equal([]);
  });

  async function lookAs(person: string | undefined): Promise<void> {
    watched = await browser.newPage(registry.url, { extraHTTPHeaders: headersOf(person) });
    page = watched.page;
  }

  for (const person of ['ada', 'grace', undefined]) {
    it(`show ${person ?? 'a visitor without a token'} on every page what the API returns, and nothing else`, async () => {
      await lookAs(person);
      const known = new Set<string>();
      for (const name of REGISTRIES)
        for (const kind of Object.keys(KINDS)) {
          const names = await namesOf(person, name, kind);
          for (const one of names) known.add(one);
          await page.goto(`/browse/${name}?kind=${kind}`);
          await page.waitForSelector('#results:not([data-pending]), .nothing');
          expect(await page.locator('p.name bdi').allTextContents(), `${name} ${kind}`).to.deep.equal(names);
          for (const one of names) {
            await page.goto(`/browse/${name}/${kind}/${one}`);
            expect(await page.locator('.entry-head .name bdi').textContent()).to.equal(one);
          }
        }
      const all = await Promise.all(
        REGISTRIES.flatMap((name) => Object.keys(KINDS).map((kind) => namesOf('root', name, kind))),
      );
      const hidden = [...new Set(all.flat())].filter((name) => !known.has(name));
      expect(hidden).to.have.length.greaterThan(0);
      for (const one of hidden)
        for (const name of REGISTRIES) {
          const answer = await page.goto(`/browse/${name}/servers/${one}`);
          expect(answer?.status(), `${one} in ${name}`).to.be.oneOf([401, 403, 404]);
        }
      for (const address of ['/', '/search', ...REGISTRIES.map((name) => `/browse/${name}`)]) {
        await page.goto(address);
        const text = (await page.textContent('body')) ?? '';
        for (const one of hidden) expect(text, `${one} on ${address}`).to.not.include(one);
      }
    });
  }

  const form = (label: string): Locator => page.locator(`form[aria-label="${label}"]`);
  const told = async (): Promise<string> => (await page.textContent('p.note[role="status"]')) ?? '';
  const answerTo = async (target: string): Promise<Json> => (await registry.send('GET', target)).body;

  it('have forms with which ada creates, changes and removes sources, registries and entries', async () => {
    await lookAs('ada');
    await page.goto('/manage/new-source?kind=managed');
    await page.fill('[name="name"]', 'drafts');
    await page.fill('[name="claims.0.name"]', 'org');
    await page.fill('[name="claims.0.value"]', 'other');
    await page.click('text=Make the source');
    // Callers cannot give claims that they do not have.
    expect(await page.textContent('#field-claims-problem')).to.not.equal('');
    await page.fill('[name="claims.0.value"]', 'acme');
    await page.click('text=Make the source');
    expect(await told()).to.equal('The source is made. Its first sync has begun.');
    await page.click('.actions >> text=Change');
    await page.fill('[name="claims.1.name"]', 'team');
    await page.fill('[name="claims.1.value"]', 'platform');
    await form('Source drafts').getByRole('button', { name: 'Save' }).click();
    expect(await told()).to.equal('The source is changed.');
    const claims = { org: 'acme', team: 'platform' };
    expect((await answerTo('/v1/sources/drafts'))['claims']).to.deep.equal(claims);

    await page.goto('/manage/new-registry');
    await page.fill('[name="name"]', 'drafts');
    await page.fill('[name="sources"]', 'draughts');
    for (const [at, [name, value]] of Object.entries(claims).entries()) {
      await page.fill(`[name="claims.${at}.name"]`, name);
      await page.fill(`[name="claims.${at}.value"]`, value);
    }
    await page.click('text=Make the registry');
    expect(await page.locator('[aria-invalid="true"]').getAttribute('name')).to.equal('sources');
    await page.fill('[name="sources"]', 'drafts');
    await page.click('text=Make the registry');
    expect(await told()).to.equal('The registry is made.');
    await page.click('.actions >> text=Change');
    await page.fill('[name="sources"]', 'drafts\ncompany');
    await form('Registry drafts').getByRole('button', { name: 'Save' }).click();
    expect(await told()).to.equal('The registry is changed.');
    expect((await answerTo('/v1/registries/drafts'))['sources']).to.deep.equal(['drafts', 'company']);

    await page.goto('/manage/publish');
    await page.fill('[name="document"]', JSON.stringify(serverDocument('dev.acme/typed')));
    await page.selectOption('[name="source"]', 'drafts');
    for (const [at, [name, value]] of Object.entries(claims).entries()) {
      await page.fill(`[name="claims.${at}.name"]`, name);
      await page.fill(`[name="claims.${at}.value"]`, value);
    }
    await page.click('.actions button[value="publish"]');
    expect(await told()).to.equal('The version is published.');

    await page.goto('/manage/entries');
    await page.fill('[name="name"]', 'dev.acme/typed');
    await page.click('text=Open');
    expect(await page.textContent('h1')).to.equal('dev.acme/typed');
    const at = '/v1/entries/server/dev.acme%2Ftyped';
    await form('Status').locator('[name="statusMessage"]').fill('Use dev.acme/other.');
    await form('Status').locator('[name="status"]').selectOption('deprecated');
    await page.click('text=Change the status');
    expect(await told()).to.equal('The status is changed.');
    await form('Claims').locator('[name="claims.1.name"]').fill('');
    await form('Claims').locator('[name="claims.1.value"]').fill('');
    await page.click('text=Change the claims');
    expect(await told()).to.equal('The claims are changed, for all versions.');
    const changed = await answerTo(at);
    expect(changed['claims']).to.deep.equal({ org: 'acme' });
    expect((changed['versions'] as Json[])[0]).to.include({
      status: 'deprecated',
      statusMessage: 'Use dev.acme/other.',
    });
    await form('Remove a version').locator('[name="removed"]').selectOption('1.0.0');
    await page.click('text=Remove the version');
    expect(await page.textContent('.problem')).to.include('Tick that you are sure');
    await form('Remove a version').locator('[name="removed"]').selectOption('1.0.0');
    await form('Remove a version').locator('[name="sure"]').check();
    await page.click('text=Remove the version');
    expect(await told()).to.equal('The version is removed for good.');
    expect((await registry.send('GET', at)).status).to.equal(404);

    await page.goto('/manage/sources/drafts/remove');
    expect(await page.textContent('.note')).to.match(/while a registry names it.*drafts$/s);
    expect(await page.getByRole('button', { name: 'Remove it' }).count()).to.equal(0);
    await page.goto('/manage/registries/drafts/remove');
    await page.click('text=Remove it');
    expect(await told()).to.equal('The registry is removed. Its sources and their entries are still there.');
    await page.goto('/manage/sources/drafts/remove');
    await page.click('text=Remove it');
    expect(await told()).to.equal('The source is removed, with its entries.');
    await page.goto('/manage/sources/platform');
    await page.click('text=Sync now');
    expect(await told()).to.include('The source is read as soon as can be.');
  });

  it('explain access: of oneself, of the holder of a token, and for root of anybody', async () => {
    await lookAs('root');
    const [entry = ''] = await namesOf('ada', 'platform', 'servers');
    const ask = async (fields: Readonly<Record<string, string>>): Promise<string> => {
      await page.goto('/manage/explain?registry=platform');
      await page.fill('[name="name"]', entry);
      for (const [name, text] of Object.entries(fields)) await page.fill(`[name="${name}"]`, text);
      await page.click('.actions >> text=Explain');
      return (await page.textContent('main')) ?? '';
    };
    expect(await ask({ claims: JSON.stringify({ sub: 'bo', org: 'acme', team: ['platform'] }) }))
      .to.include('bo')
      .and.include('open');
    expect(await axeViolations(page)).to.deep.equal([]);
    const pasted = tokenOf('grace');
    const ofGrace = await ask({ token: pasted });
    expect(ofGrace).to.include('grace').and.include('closed').and.include('does not match');
    expect(await page.content()).to.not.include(pasted);
    await ask({ token: 'no.such.token' });
    expect(await page.locator('[aria-invalid="true"]').getAttribute('name')).to.equal('token');
  });

  it('show root the last requests of this replica, with filters', async () => {
    await lookAs('root');
    await fetch(`${registry.url}/v1/sources`, { headers: headersOf('grace') });
    await page.goto('/manage/audit');
    expect(await page.textContent('.label-of-memory')).to.include('From the memory of this replica alone');
    await page.selectOption('[name="outcome"]', 'denied');
    await page.fill('[name="subject"]', 'grace');
    await page.fill('[name="path"]', '/v1/sources');
    await page.click('text=Filter');
    const events = await page.locator('td[data-label="Event"]').allTextContents();
    expect([...new Set(events)]).to.deep.equal(['source.list']);
    // The request id on the error page.
    const refused = await fetch(`${registry.url}/v1/sources/none`, { headers: headersOf('grace') });
    const { requestId } = (await refused.json()) as { readonly requestId: string };
    await page.goto('/manage/audit');
    await page.fill('[name="requestId"]', requestId);
    await page.click('text=Filter');
    const found = await page.locator('tbody tr').allTextContents();
    expect(found.map((text) => text.includes(requestId))).to.deep.equal([true]);
    await lookAs('grace');
    expect((await page.goto('/manage/audit'))?.status()).to.equal(403);
  });
});
