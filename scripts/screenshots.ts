// Pictures of every page of the web-console, light and dark, from a phone to a wall, in a folder for people to look at.
//
//   npm run screenshots [FOLDER]       left out: screenshots, below the temporary folder
//
// The pages are those of examples/anonymous-file-registry, in this machine's Chromium.
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBrowser, TestBrowser } from '../test/support/browser.ts';
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
};

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
  sources: ['team', 'catalogue'].map((name) => ({
    name,
    file: { path: path.join(EXAMPLE, `${name}.json`) },
    syncPolicy: { interval: '1h' },
  })),
  registries: [
    { name: 'main', sources: ['team', 'catalogue'] },
    { name: 'community', sources: ['catalogue'] },
  ],
});
try {
  await registry.firstSync('team');
  await registry.firstSync('catalogue');
  const browser = await TestBrowser.open(program);
  try {
    for (const { scheme, width } of LOOKS) {
      const { page, close } = await browser.newPage(registry.url, {
        colorScheme: scheme,
        viewport: { width, height: 800 },
      });
      for (const [name, address] of Object.entries(PAGES)) {
        await page.goto(address);
        await page.screenshot({ path: path.join(folder, `${name}-${scheme}-${width}.png`), fullPage: true });
      }
      await close();
    }
  } finally {
    await browser.close();
  }
} finally {
  await registry.stop();
}
process.stdout.write(`${folder}\n`);
