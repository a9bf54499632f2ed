// Takes screenshots of all web console pages, light and dark, from phone to wide-screen size.
//
// npm run screenshots [FOLDER] default: screenshots, below the temporary folder
//
// The pages are those of examples/anonymous-file-registry with some published entries, and those of a login.
// Needs a local Chromium.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import type { Page } from 'playwright-core';
import { findBrowser, showAll, TestBrowser } from '../test/support/browser.ts';
import { serverDocument } from '../test/support/pages/admin-world.ts';
import { LoginWorld } from '../test/support/pages/login-world.ts';
import type { PageBrowser } from '../test/support/pages/page-browser.ts';
import { RegistryInProcess } from '../test/support/registry-in-process.ts';

const EXAMPLE = path.join(import.meta.dirname, '../examples/anonymous-file-registry');

const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  registry: '/browse/main',
  search: '/browse/main?q=chart&way=remote',
  'search-everywhere': '/search?q=chart',
  'unknown-address': '/nowhere',
  'nothing-found': '/browse/main?q=nothing+of+this',
  skills: '/browse/main?kind=skills',
  server: '/browse/main/servers/dev.acme/tickets',
  'server-changes': '/browse/community/servers/dev.acme/weather',
  remote: '/browse/main/servers/com.northwind-charts/nautical-charts',
  skill: '/browse/main/skills/dev.acme/incident-report',
  plugins: '/browse/tools?kind=plugins',
  plugin: '/browse/tools/plugins/dev.acme/incident-desk',
  'not-there': '/browse/main/servers/dev.acme/nothing',
  sources: '/manage/sources',
  source: '/manage/sources/catalogue',
  'source-kinds': '/manage/new-source',
  'new-source': '/manage/new-source?kind=git',
  definitions: '/manage/registries',
  definition: '/manage/registries/main',
  'source-entries': '/manage/sources/catalogue/entries',
  entries: '/manage/entries',
  publish: '/manage/publish',
  explain: '/manage/explain?registry=main',
  audit: '/manage/audit',
  'right-to-left': '/browse/tools/servers/dev.acme/harbours',
  'change-source': '/manage/sources/own/edit',
  'remove-source': '/manage/sources/own/remove',
  'new-registry': '/manage/new-registry',
  'change-registry': '/manage/registries/tools/edit',
  'remove-registry': '/manage/registries/tools/remove',
  'registry-entries': '/manage/registries/tools/entries',
  'managed-entry': '/manage/entries/server/dev.acme%2Fharbours',
};

/** Pages that a submitted form leads to: path, input, and button. */
const ANSWERS: Readonly<
  Record<
    string,
    { readonly at: string; readonly fields: Readonly<Record<string, string>>; readonly press: string }
  >
> = {
  'source-with-problems': {
    at: '/manage/new-source?kind=git',
    fields: { name: 'No such name!', 'block.branch': 'main', 'block.tag': 'v1' },
    press: 'Make the source',
  },
  'source-of-two-references': {
    at: '/manage/new-source?kind=git',
    fields: {
      name: 'charts',
      'block.repository': 'https://git.acme.example/charts.git',
      'block.branch': 'main',
      'block.tag': 'v1',
      interval: '30m',
    },
    press: 'Make the source',
  },
  'registry-with-problems': {
    at: '/manage/new-registry',
    fields: { name: 'main', sources: 'catalogue\nnowhere', 'claims.0.name': 'org' },
    press: 'Make the registry',
  },
  'entry-with-problems': {
    at: '/manage/entries/server/dev.acme%2Fharbours',
    fields: { statusMessage: 'The depths are old.' },
    press: 'Change the status',
  },
  'publish-with-problems': {
    at: '/manage/publish',
    fields: { document: '{ "name": "tickets", "version": "latest" }' },
    press: 'Check',
  },
  explained: {
    at: '/manage/explain?registry=main',
    fields: { name: 'dev.acme/tickets', claims: '{ "sub": "bo", "org": "acme" }' },
    press: 'Explain',
  },
};

/** Number of entries of a list that takes longer to read than a page waits. */
const LONG_LIST = 10_000;

/** Pages of a server with a login, as an anonymous and as a logged-in visitor. */
const LOGIN = {
  nobody: {
    'login-choice': '/login',
    'login-failed': '/login/callback?code=x&state=y',
    'closed-to-nobody': '/browse/maps',
    'home-of-nobody': '/',
  },
  somebody: { 'home-of-somebody': '/', 'closed-to-somebody': '/manage/sources' },
} as const;

const LOOKS = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 320 },
  { scheme: 'dark', width: 320 },
  { scheme: 'light', width: 3840 },
] as const;

const folder = path.resolve(process.argv[2] ?? path.join(tmpdir(), 'screenshots'));
const program = await findBrowser();
if (program === undefined) throw new Error('there is no chromium in PATH');
await mkdir(folder, { recursive: true });

const registry = await RegistryInProcess.start({
  pages: { 'web-console': {} },
  sources: [
    ...['team', 'catalogue'].map((name) => ({
      name,
      file: { path: path.join(EXAMPLE, `${name}.json`) },
      syncPolicy: { interval: '1h' },
    })),
    { name: 'long', file: { data: longCatalogue() } },
  ],
  registries: [
    { name: 'main', sources: ['team', 'catalogue'] },
    { name: 'community', sources: ['catalogue'] },
  ],
});
const login = await LoginWorld.open();
try {
  await registry.firstSync('team');
  await registry.firstSync('catalogue');
  await registry.firstSync('long');
  await publishMore();
  await countAll();
  const browser = await TestBrowser.open(program);
  try {
    for (const { scheme, width } of LOOKS) {
      const look = { colorScheme: scheme, viewport: { width, height: 800 } };
      const take = async (page: Page, name: string): Promise<void> => {
        await showAll(page);
        await page.screenshot({ path: path.join(folder, `${name}-${scheme}-${width}.png`), fullPage: true });
      };
      const { page, close } = await browser.newPage(registry.url, look);
      for (const [name, address] of Object.entries(PAGES)) {
        await page.goto(address);
        await take(page, name);
      }
      for (const [name, { at, fields, press }] of Object.entries(ANSWERS)) {
        await page.goto(at);
        for (const [field, text] of Object.entries(fields)) await page.fill(`[name="${field}"]`, text);
        await page.locator('.actions').getByRole('button', { name: press, exact: true }).click();
        await page.waitForLoadState();
        await take(page, name);
      }
      await page.setContent(
        `<form method="post" action="${registry.url}/manage/publish"><button>Go</button></form>`,
      );
      await page.click('text=Go');
      await take(page, 'form-of-another-site');
      await close();
      const unscripted = await browser.newPage(registry.url, { ...look, javaScriptEnabled: false });
      await makeLongRegistry();
      await unscripted.page.goto('/browse/coast');
      await unscripted.page.screenshot({ path: path.join(folder, `being-counted-${scheme}-${width}.png`) });
      await unscripted.close();
      await registry.send('DELETE', '/v1/registries/coast');
      const visitors = { nobody: login.browser(), somebody: await loggedIn() };
      for (const who of ['nobody', 'somebody'] as const) {
        const seen = await browser.newPage(LoginWorld.publicUrl, look);
        await bring(seen.page, visitors[who]);
        for (const [name, address] of Object.entries(LOGIN[who])) {
          await seen.page.goto(`${LoginWorld.publicUrl}${address}`);
          await take(seen.page, name);
        }
        if (who === 'somebody') {
          await seen.page.click('text=Log out');
          await seen.page.waitForSelector('text=You are logged out here');
          await take(seen.page, 'logged-out');
        }
        await seen.close();
      }
    }
  } finally {
    await browser.close();
  }
} finally {
  await login.close();
  await registry.stop();
}
process.stdout.write(`${folder}\n`);

/** Publishes entries that only a managed source can have: a plugin, and one with right-to-left text. */
async function publishMore(): Promise<void> {
  const claims = { org: 'acme', team: ['platform', 'data'] };
  await registry.send('PUT', '/v1/sources/own', { managed: {}, claims });
  await registry.send('PUT', '/v1/registries/tools', { sources: ['own', 'catalogue'], claims });
  for (const version of ['1.0.0', '1.1.0'])
    await registry.send('POST', '/v1/entries?source=own', {
      server: serverDocument('dev.acme/harbours', version, {
        title: 'خرائط الموانئ',
        description: 'يقرأ خرائط الموانئ والأعماق. Reads charts of harbours, and depths.',
      }),
      claims,
    });
  await registry.send('POST', '/v1/entries?source=own', {
    plugin: {
      namespace: 'dev.acme',
      name: 'incident-desk',
      title: 'Incident desk',
      description: 'Commands and skills for whoever is on call.',
      version: '1.0.0',
    },
    claims,
  });
  await registry.send('PATCH', '/v1/entries/server/dev.acme%2Fharbours/versions/1.0.0/status', {
    status: 'deprecated',
    statusMessage: 'The depths were those of another chart.',
  });
}

function longCatalogue(): string {
  const servers = Array.from({ length: LONG_LIST }, (_, at) => serverDocument(`dev.acme/buoy-${at}`));
  return JSON.stringify({
    version: '1.0.0',
    meta: { last_updated: '2026-01-15T08:00:00Z' },
    data: { servers },
  });
}

/** Creates a registry with many entries that is not cached yet. */
async function makeLongRegistry(): Promise<void> {
  await registry.send('PUT', '/v1/registries/coast', { sources: ['long'] });
}

/** Lets the server count the registries, which it does after the first page. */
async function countAll(): Promise<void> {
  await eventually(async () => {
    const answer = await fetch(`${registry.url}/`, { headers: { accept: 'text/html' } });
    if ((await answer.text()).includes('data-pending'))
      throw new Error('the registries are still being counted');
  });
}

/** Logs in with a provider that has its own logout. */
async function loggedIn(): Promise<PageBrowser> {
  const visitor = login.browser();
  await login.logIn(visitor, { sub: 'ada', name: 'Ada Quayle', team: 'maps' }, 'other');
  return visitor;
}

/**
 * Forwards requests for the public name to the server, as a reverse proxy would, with the visitor's cookies.
 */
async function bring(page: Page, visitor: PageBrowser): Promise<void> {
  await page.route(`${LoginWorld.publicUrl}/**`, async (route) => {
    const request = route.request();
    const accept = (await request.headerValue('accept')) ?? '*/*';
    const { status, headers, text } =
      request.method() === 'POST'
        ? await visitor.post(request.url(), request.postData() ?? '')
        : await visitor.get(request.url(), { accept });
    const shown = Object.fromEntries(
      [...headers].filter(([name]) => !/^(?:content-(?:encoding|length)|set-cookie)$/.test(name)),
    );
    await route.fulfill({ status, headers: shown, body: text });
  });
}
