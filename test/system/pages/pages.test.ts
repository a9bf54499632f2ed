import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeViolations, findBrowser, TestBrowser, type WatchedPage } from '../../support/browser.ts';
import type { Json } from '../../support/counting-registry.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import {
  exampleFile,
  HOSTILE,
  HOSTILE_MARKDOWN,
  inlineSource,
  packedServer,
} from './support/sample-registry.ts';

const PAGES: Json = { 'web-console': {} };
const RTL = 'خرائط الموانئ';

const tools = [
  {
    name: 'read_chart',
    description: 'Reads a chart.',
    annotations: { readOnlyHint: true },
    inputSchema: { properties: { port: { type: 'string' } }, required: ['port'] },
  },
  { name: 'drop_anchor', annotations: { destructiveHint: true } },
];

function plain(name: string, version = '1.0.0', extension: Json = {}, more: Json = {}): Json {
  return packedServer(`com.acme/${name}`, version, extension, more);
}

const MANY = 1200;

const config: Json = {
  pages: PAGES,
  sources: [
    inlineSource('catalogue', {
      servers: [
        plain('charts', '1.0.0', { tools: ['read_chart'], tags: ['sea'] }, { title: RTL }),
        plain(
          'charts',
          '2.0.0',
          {
            tool_definitions: tools,
            tags: ['sea', 'harbours'],
            overview:
              '## Charts\n\nReads **charts** of [harbours](https://charts.example/).\n\n| a | b |\n|---|---|\n| 1 | 2 |',
            permissions: {
              network: { outbound: { allow_host: ['charts.example'], allow_port: [443] } },
              read: ['/charts'],
            },
          },
          { title: RTL, repository: { url: 'https://git.example/acme/charts', source: 'github' } },
        ),
        plain('tides', '1.0.0', { tags: ['sea'] }),
        plain('old-notes', '1.0.0', { status: 'deprecated' }),
      ],
      skills: [{ namespace: 'com.acme', name: 'triage', description: 'Sorts tickets.', version: '1.0.0' }],
      plugins: [{ namespace: 'com.acme', name: 'desk', description: 'Works on tickets.', version: '1.0.0' }],
    }),
    inlineSource('many', {
      servers: Array.from({ length: MANY }, (_, index) =>
        plain(`buoy-${index}`, '1.0.0', { tags: [index % 2 === 0 ? 'even' : 'odd'] }),
      ),
    }),
    inlineSource('hostile', {
      servers: [
        plain(
          'hostile',
          '1.0.0',
          {
            overview: HOSTILE_MARKDOWN,
            tags: [HOSTILE.script, HOSTILE.image],
            tools: [HOSTILE.script],
            tool_definitions: [
              {
                name: HOSTILE.image,
                description: HOSTILE.closing,
                inputSchema: { properties: { [HOSTILE.script]: { type: HOSTILE.script } } },
              },
            ],
            permissions: { network: { outbound: { allow_host: [HOSTILE.script] } }, read: [HOSTILE.image] },
          },
          {
            title: `Title ${HOSTILE.script}`,
            description: `Said ${HOSTILE.image}`,
            websiteUrl: HOSTILE.link,
          },
        ),
        plain('hostile', '0.9.0', {}, { description: HOSTILE.closing }),
        plain('long', '1.0.0', { overview: `# Long\n\n${'word '.repeat(40_000)}` }),
      ],
      skills: [
        {
          namespace: 'com.acme',
          name: 'hostile-skill',
          description: HOSTILE.closing,
          version: '1.0.0',
          license: HOSTILE.script,
          compatibility: HOSTILE.image,
          allowedTools: [HOSTILE.script],
        },
        { namespace: 'com.acme', name: 'huge', description: 'x '.repeat(500_000), version: '1.0.0' },
      ],
    }),
  ],
  registries: [
    { name: 'main', sources: ['catalogue', 'hostile'] },
    { name: 'many', sources: ['many'] },
  ],
};

const ENTRY = '/browse/main/servers/com.acme/charts';

describe('pages in a browser', function () {
  this.timeout(300_000);
  let browser: TestBrowser;
  let registry: RegistryInProcess;
  let watched: WatchedPage;
  let page: Page;

  before(async function () {
    const program = await findBrowser();
    if (program === undefined) skipSuite(this, 'no chromium on this machine');
    browser = await TestBrowser.open(program);
    registry = await RegistryInProcess.start(config);
    for (const source of ['catalogue', 'many', 'hostile']) await registry.firstSync(source);
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

  const textOf = async (selector: string): Promise<string> => (await page.textContent(selector)) ?? '';
  const addresses = async (selector: string): Promise<readonly string[]> =>
    // SAFETY: the script in the text returns this type.
    (await page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((link) => link.getAttribute('href'))`,
    )) as readonly string[];
  const titles = async (on = page): Promise<readonly string[]> =>
    await on.locator('.entry h2 a').allTextContents();

  it('are accessible (axe), in light and dark, and fit 320 px and 3840 px', async () => {
    const paths = [
      '/',
      '/browse/main',
      '/browse/main?q=nothing-of-this',
      '/search?q=charts',
      '/browse/main?kind=skills',
      ENTRY,
      `${ENTRY}?from=1.0.0`,
      '/browse/main/skills/com.acme/triage',
      '/browse/main?kind=plugins',
      '/browse/main/plugins/com.acme/desk',
      '/browse/nowhere',
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(
        colorScheme === 'light' ? { width: 1280, height: 800 } : { width: 320, height: 700 },
      );
      for (const path of paths) {
        const answer = await page.goto(path);
        expect(answer?.status(), path).to.equal(path === '/browse/nowhere' ? 404 : 200);
        expect(await axeViolations(page), `${path} ${colorScheme}`).to.deep.equal([]);
      }
    }
    for (const width of [320, 3840]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of [...paths, '/browse/main/servers/com.acme/hostile']) {
        await page.goto(path);
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(beyond, `${path} at ${width}`).to.be.at.most(0);
      }
    }
  });

  it('break commands and addresses between words, also at 320 px', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    for (const path of ['/', '/browse/main', ENTRY]) {
      await page.goto(path);
      const words = await page.locator('.code .word').count();
      expect(words, path).to.be.at.least(3);
      const broken = await page.evaluate(`[...document.querySelectorAll('.code .word')]
        .filter((word) => word.getBoundingClientRect().height > 1.8 * parseFloat(getComputedStyle(word).lineHeight))
        .map((word) => word.textContent)`);
      expect(broken, path).to.deep.equal([]);
    }
    await page.goto(ENTRY);
    const [line] = await page.locator('#use .line').allTextContents();
    expect(line).to.equal(`portolan config set-registry ${registry.url}/registry/main --allow-private-ip\n`);
  });

  it('lead from the first page to an entry by keyboard', async () => {
    await page.goto('/');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('To the content');
    await page.getByRole('link', { name: 'main', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/browse/main');
    await page.keyboard.press('/');
    await page.keyboard.type('harbours read');
    await page.waitForURL('**/browse/main?q=harbours+read');
    expect(await titles()).to.deep.equal([]);
    await page.fill('input[type=search]', 'charts');
    await page.waitForURL('**/browse/main?q=charts');
    expect(await titles()).to.deep.equal([RTL]);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".entry h2 a")).direction')).to.equal(
      'rtl',
    );
    await page.locator('.entry h2 a').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${ENTRY}`);
    expect(await textOf('h1')).to.equal(RTL);
  });

  it('search all registries from the first page, with the number of matches in each', async () => {
    await page.goto('/');
    await page.locator('.counts', { hasText: `${MANY.toLocaleString('en')} servers` }).waitFor();
    expect(await page.locator('.counts').allTextContents()).to.deep.equal([
      '5 servers, 2 skills, 1 plugin',
      `${MANY.toLocaleString('en')} servers`,
    ]);
    await page.fill('input[type=search]', 'tides');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/search?q=tides');
    expect(await titles()).to.deep.equal(['tides']);
    await page.fill('input[type=search]', 'buoy-119');
    await page.waitForURL('**/search?q=buoy-119');
    await page.locator('.summary', { hasText: '11 servers' }).waitFor();
    expect(await page.locator('.within a').first().getAttribute('href')).to.equal('/browse/many?q=buoy-119');
    await page.locator('.entry h2 a').first().click();
    await page.waitForURL('**/browse/many/servers/com.acme/buoy-119');
  });

  it('filter a list by its address, keep the focus, and page through it', async () => {
    await page.goto('/browse/many');
    // The first results arrive immediately, however long the others take.
    await page.locator('.summary', { hasText: `${MANY.toLocaleString('en')} servers` }).waitFor();
    const even = page.locator('.facet a', { hasText: /^even/ });
    await even.focus();
    await even.click();
    await page.waitForURL('**/browse/many?tag=even');
    await page.locator('.summary', { hasText: `${MANY / 2} servers` }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.match(/^even/);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL('**/browse/many?tag=even&page=2');
    await page.fill('input[type=search]', 'buoy-118');
    await page.waitForURL('**/browse/many?*q=buoy-118*');
    await page.locator('.summary', { hasText: '6 servers' }).waitFor();
    expect(await page.locator('.entry').count()).to.equal(6);
    expect(page.url()).to.include('tag=even');
  });

  it('keep polling while a busy server counts a list for a minute', async () => {
    await page.clock.install();
    let asked = 0;
    let passedMs = 0;
    // Every response of the first minute has the first entries only. The server itself is never that slow.
    await page.route('**/browse/many', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      asked += 1;
      const body = passedMs < 60_000 ? text.replace('id="results"', 'id="results" data-pending=""') : text;
      await route.fulfill({ response: answer, body });
    });
    await page.goto('/browse/many');
    await eventually(async () => {
      await page.clock.runFor(1000);
      passedMs += 1000;
      expect(await page.locator('#results').getAttribute('data-pending')).to.equal(null);
    });
    expect(asked).to.be.within(8, 30);
  });

  it('keep right-to-left text next to its label', async () => {
    const leftOf = async (selector: string) =>
      // SAFETY: the script in the text returns this type.
      (await page.evaluate(`(() => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector(${JSON.stringify(selector)}));
        return range.getBoundingClientRect().left;
      })()`)) as number;
    await page.goto(ENTRY);
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).direction')).to.equal('rtl');
    expect(await leftOf('h1')).to.be.closeTo(await leftOf('.entry-head .name'), 4);
    // Mark of a step, in front of it.
    const way = 'getComputedStyle(document.querySelector(".trail li:last-child")).direction';
    expect(await page.evaluate(way)).to.equal('ltr');
  });

  it('show what an entry is, needs, may do, and what has changed', async () => {
    await page.goto(`${ENTRY}?version=2.0.0`);
    expect(await textOf('#overview table')).to.include('1');
    expect(await textOf('#tools'))
      .to.include('only reads')
      .and.include('may destroy')
      .and.include('port');
    expect(await textOf('#packages'))
      .to.include('API_KEY')
      .and.include('required')
      .and.include('one of eu, us; left out: eu');
    expect(await textOf('#permissions'))
      .to.include('charts.example')
      .and.include('at port 443')
      .and.include('/charts');
    expect(await textOf('#demands'))
      .to.include('portolan run asks you before it allows')
      .and.include('read /charts');
    expect(await textOf('#changes'))
      .to.include('new: drop_anchor')
      .and.include('new: harbours');
    expect(await textOf('#use')).to.include(
      'portolan run com.acme/charts --secret charts-api-key,target=API_KEY',
    );
    expect(await textOf('#origin')).to.include('git.example/acme/charts');
    const [code, cursor] = await addresses('#use .button');
    const settings = JSON.parse(decodeURIComponent((code ?? '').replace('vscode:mcp/install?', '')));
    expect(settings).to.deep.include({ name: 'charts', command: 'npx', args: ['-y', '@acme/charts@2.0.0'] });
    expect(settings.inputs).to.deep.equal([
      { type: 'promptString', id: 'API_KEY', description: 'Key of the service', password: true },
    ]);
    const entry = JSON.parse(
      Buffer.from(new URL(cursor ?? '').searchParams.get('config') ?? '', 'base64').toString(),
    );
    expect(entry).to.deep.equal({
      command: 'npx',
      args: ['-y', '@acme/charts@2.0.0'],
      env: { API_KEY: '<API_KEY>', REGION: 'eu' },
    });
    await page.getByRole('link', { name: 'Response of the API' }).click();
    expect(page.url()).to.include('/registry/main/v0.1/servers/com.acme%2Fcharts/versions/2.0.0');
  });

  it('run no script of entries, and link only to web addresses', async () => {
    for (const path of [
      '/browse/main',
      '/browse/main?kind=skills',
      `/search?q=${encodeURIComponent('hostile')}`,
      `/search?q=${encodeURIComponent(HOSTILE.closing)}&tag=${encodeURIComponent(HOSTILE.image)}`,
      '/browse/main/servers/com.acme/hostile',
      '/browse/main/servers/com.acme/hostile?from=0.9.0',
      '/browse/main/skills/com.acme/hostile-skill',
      '/browse/main/skills/com.acme/huge',
      '/browse/main/servers/com.acme/long',
      `/browse/main?q=${encodeURIComponent(HOSTILE.closing)}&tag=${encodeURIComponent(HOSTILE.image)}&source=${encodeURIComponent(HOSTILE.script)}`,
      `/browse/${encodeURIComponent(HOSTILE.closing)}`,
      `/browse/main/servers/${encodeURIComponent(HOSTILE.image)}/${encodeURIComponent(HOSTILE.script)}`,
    ]) {
      await page.goto(path);
      expect(await page.evaluate('globalThis.caught'), path).to.equal(undefined);
      const bad = `[...document.querySelectorAll('main *')].filter((element) => /^(script|style|iframe|object|embed|img|link|meta|base|svg:script|form)$/.test(element.localName) && !element.matches('form.search') || [...element.attributes].some(({ name, value }) => name.startsWith('on') || name === 'style' || /^(href|src|action|formaction)$/.test(name) && !/^(https?:|mailto:|vscode:mcp|cursor:\\/\\/anysphere|\\/|#)/.test(value))).map((element) => element.outerHTML.slice(0, 200))`;
      expect(await page.evaluate(bad), path).to.deep.equal([]);
    }
    await page.goto('/browse/main/servers/com.acme/hostile');
    const links = await addresses('#overview a[href]');
    expect(links).to.deep.equal([]);
    expect(await page.locator('#content').count()).to.equal(1);
    expect(await textOf('#overview'))
      .to.include('Heading')
      .and.not.include('@import');
  });

  it('work without scripts', async () => {
    const bare = await browser.newPage(registry.url, { javaScriptEnabled: false });
    try {
      const { page: other } = bare;
      await other.goto('/');
      await other.getByRole('link', { name: 'main', exact: true }).click();
      await other.fill('input[type=search]', 'tides');
      await other.keyboard.press('Enter');
      await other.waitForURL('**/browse/main?q=tides');
      expect(await titles(other)).to.deep.equal(['tides']);
      await other.getByRole('link', { name: /^Skills/ }).click();
      await other.waitForURL('**/browse/main?kind=skills&q=tides');
      expect(await other.textContent('.nothing')).to.include('No skills for “tides”');
      await other.goto('/browse/main?tag=sea&status=active');
      expect(await titles(other)).to.have.members([RTL, 'tides']);
      await other.goto(ENTRY);
      expect(await other.textContent('#use')).to.include('portolan run');
    } finally {
      await bare.close();
    }
  });
});

describe('contents of pages by caller', function () {
  this.timeout(180_000);
  let registry: RegistryInProcess;
  let issuer: TestIssuer;

  const file = (name: string, path: string, claims: Json): Json => ({
    name,
    file: exampleFile(`claims-registry/${path}`),
    claims,
  });

  before(async () => {
    issuer = await startTestIssuer();
    const claims = { org: 'acme', team: 'platform' };
    registry = await RegistryInProcess.start(
      {
        pages: PAGES,
        sources: [
          { ...file('company', 'company.json', { org: 'acme' }), syncPolicy: { interval: '1h' } },
          { ...file('platform', 'platform.json', claims), syncPolicy: { interval: '1h' } },
          { ...file('data', 'data.json', { org: 'acme', team: 'data' }), syncPolicy: { interval: '1h' } },
          { ...file('open', 'open.json', { audience: 'everyone' }), syncPolicy: { interval: '1h' } },
        ],
        registries: [
          { name: 'company', sources: ['platform', 'data', 'company'], claims: { org: 'acme' } },
          { name: 'platform', sources: ['platform', 'company'], claims },
          { name: 'open', sources: ['open'], public: true, publicClaims: { audience: 'everyone' } },
        ],
        auth: {
          mode: 'oauth',
          oauth: {
            resourceUrl: 'http://127.0.0.1',
            providers: [
              { name: 'test', issuerUrl: issuer.issuerUrl, audience: 'portolan', allowPrivateIP: true },
            ],
          },
          authz: {
            roles: {
              superAdmin: [{ role: 'admin' }],
              manageSources: [{ role: 'admin' }],
              manageRegistries: [{ role: 'admin' }],
            },
          },
        },
      },
      issuer.sign({ role: 'admin', org: 'acme', team: ['platform', 'data'] }),
    );
    for (const source of ['company', 'platform', 'data', 'open']) await registry.firstSync(source);
  });
  after(async () => {
    await registry?.stop();
    await issuer?.close();
  });

  const people: Readonly<Record<string, Json | undefined>> = {
    nobody: undefined,
    'one of the platform team': { org: 'acme', team: ['platform'] },
    'one of the data team': { org: 'acme', team: ['data'] },
    'an administrator': { role: 'admin', org: 'acme', team: ['platform', 'data'] },
  };
  for (const [who, claims] of Object.entries(people)) {
    it(`match the responses of the API to the same caller: ${who}`, async () => {
      const headers = claims === undefined ? {} : { authorization: `Bearer ${issuer.sign(claims)}` };
      const ask = async (target: string, accept: string) => {
        const answer = await fetch(`${registry.url}${target}`, { headers: { ...headers, accept } });
        return { status: answer.status, text: await answer.text(), headers: answer.headers };
      };
      // Waits until counts are known: a busy machine may finish them after the first request.
      const settled = async (target: string) =>
        await eventually(async () => {
          const shown = await ask(target, 'text/html');
          expect(shown.text, target).to.not.match(/being counted|class="count"><\/span>/);
          return shown;
        });
      const home = await settled('/');
      const listed = JSON.parse((await ask('/registry', 'application/json')).text);
      const named = [...home.text.matchAll(/class="stretched" href="\/browse\/([^"]+)"/g)].map(
        ([, name]) => name,
      );
      expect(named).to.deep.equal((listed.registries as { name: string }[]).map(({ name }) => name));
      let shown = 0;
      const everywhere = new Map<string, string[]>();
      for (const name of ['company', 'platform', 'open']) {
        for (const [kind, path] of [
          ['servers', 'servers'],
          ['skills', 'x/dev.portolan/skills'],
        ] as const) {
          const answer = await ask(
            `/registry/${name}/v0.1/${path}?version=latest&limit=1000`,
            'application/json',
          );
          const html = await settled(`/browse/${name}?kind=${kind}`);
          expect(html.headers.get('cache-control')).to.equal('no-store');
          expect(html.status, `${name} ${kind}`).to.equal(answer.status);
          const names = [...html.text.matchAll(/<p class="name"><bdi>([^<]+)<\/bdi>/g)].map(
            ([, entry]) => entry,
          );
          const items = answer.status === 200 ? (JSON.parse(answer.text)[kind] as Json[]) : [];
          const known = items.map((item) => {
            const { name: last, namespace } = Object(item[kind.slice(0, -1)]);
            return namespace === undefined ? last : `${namespace}/${last}`;
          });
          expect(names, `${name} ${kind}`).to.deep.equal(known);
          const count = />(\d+)<\/span><\/a>/.exec(
            html.text.slice(html.text.indexOf(kind === 'servers' ? '>Servers' : '>Skills')),
          )?.[1];
          if (answer.status === 200) expect(count).to.equal(String(known.length));
          for (const entry of known) {
            const [namespace, last] = entry.split('/');
            const one = await ask(`/browse/${name}/${kind}/${namespace}/${last}`, 'text/html');
            expect(one.status, entry).to.equal(200);
          }
          shown += known.length;
          if (kind === 'servers')
            for (const entry of known) everywhere.set(entry, [...(everywhere.get(entry) ?? []), name]);
          const card = home.text.slice(home.text.indexOf(`href="/browse/${name}"`)).split('</li>')[0] ?? '';
          const counted = `${known.length} ${known.length === 1 ? kind.slice(0, -1) : kind}`;
          if (known.length > 0) expect(card, name).to.include(counted);
        }
      }
      expect(shown).to.be.above(0);
      const search = (await settled('/search')).text;
      const found = [...search.matchAll(/<p class="name"><bdi>([^<]+)<.*?<p class="within">(.*?)<\/p>/g)].map(
        ([, entry, within = '']) => [entry, [...within.matchAll(/>([^<]+)<\/a>/g)].map(([, one]) => one)],
      );
      const byName = [...everywhere].map(([entry, registries]) => [entry, registries.toSorted()]);
      expect(found).to.deep.equal(
        byName.toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1)),
      );
      // Entries that only some callers see do not appear for the others at all.
      const secret = await ask('/browse/platform/servers/dev.acme/none', 'text/html');
      expect(secret.status).to.be.oneOf([401, 403, 404]);
      const sources = (await ask('/browse/open', 'text/html')).text.includes('>Source<');
      expect(sources).to.equal(false); // The registry has one source.
      const company = (await ask('/browse/company', 'text/html')).text;
      expect(company.includes('aria-label="Source"')).to.equal(who === 'an administrator');
    });
  }
});
