import { execFile } from 'node:child_process';
import { createReadStream, existsSync, globSync } from 'node:fs';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { LISTED_FOLDERS, listedPages } from '../../../docs/.vitepress/sidebar.ts';
import { axeViolations, findBrowser, TestBrowser } from '../../support/browser.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const VITEPRESS = path.join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
const run = promisify(execFile);

describe('documentation site', function () {
  this.timeout(300_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-site-'));
    // Fails on a link to a page that does not exist.
    await run(process.execPath, [VITEPRESS, 'build', 'docs', '--outDir', folder], { cwd: ROOT });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has a page for each command, and for the guides', () => {
    for (const page of [
      'index',
      'docs/guides/run/run-a-server',
      'docs/reference/commands/run',
      'docs/reference/errors',
    ]) {
      expect(existsSync(path.join(folder, `${page}.html`)), page).to.equal(true);
    }
  });

  for (const listed of LISTED_FOLDERS) {
    it(`lists every page of ${listed} in its index, which makes the sidebar`, () => {
      const files = globSync(`${listed}/*.md`, { cwd: ROOT }).filter((file) => !file.endsWith('/index.md'));
      const found = listedPages(listed);
      expect(files.filter((file) => !found.includes(file))).to.deep.equal([]);
      expect(found.filter((file) => !existsSync(path.join(ROOT, file)))).to.deep.equal([]);
    });
  }

  it('has a target for every anchor that a page links to', async () => {
    const anchors = new Map<string, ReadonlySet<string>>();
    const links: { readonly from: string; readonly to: string }[] = [];
    for await (const file of glob('**/*.html', { cwd: folder })) {
      const text = await readFile(path.join(folder, file), 'utf8');
      anchors.set(`/${file}`, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)));
      for (const [, to = ''] of text.matchAll(/href="(\/[^"]*#[^"]+|#[^"]+)"/g)) {
        links.push({ from: `/${file}`, to: to.startsWith('#') ? `/${file}${to}` : to });
      }
    }
    expect(links.length).to.be.greaterThan(100);
    const lost = links.filter(({ to }) => {
      const [page = '', id = ''] = to.split('#');
      return (
        anchors.get(page.endsWith('/') ? `${page}index.html` : page)?.has(decodeURIComponent(id)) !== true
      );
    });
    expect(lost).to.deep.equal([]);
  });

  describe('in a browser', () => {
    let browser: TestBrowser;
    let server: Server;
    let address: string;

    before(async function () {
      const found = await findBrowser();
      if (found === undefined) skipSuite(this, 'no Chromium on PATH');
      server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
        const file = path.join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
        if (!existsSync(file)) {
          response.writeHead(404).end();
          return;
        }
        response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
        createReadStream(file).pipe(response);
      });
      address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
      browser = await TestBrowser.open(found);
    });
    after(async () => {
      await browser?.close();
      server?.close();
    });

    for (const { colorScheme, width } of [
      { colorScheme: 'light', width: 1440 },
      { colorScheme: 'dark', width: 320 },
    ] as const) {
      it(`shows pages without accessibility violations: ${colorScheme}, ${width} px`, async () => {
        const { page, faults, close } = await browser.newPage(address, {
          colorScheme,
          viewport: { width, height: 800 },
        });
        try {
          for (const name of ['/', '/docs/reference/commands/run.html']) {
            await page.goto(name, { waitUntil: 'networkidle' });
            expect(await axeViolations(page), name).to.deep.equal([]);
            const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
            expect(await page.evaluate(overflow), `${name} is wider than the window`).to.equal(0);
          }
          expect(faults).to.deep.equal([]);
        } finally {
          await close();
        }
      });
    }

    for (const { term, page: expected } of [
      { term: 'rate limit', page: 'rate-limiting' },
      { term: 'authentication', page: 'require-login' },
      { term: 'health check', page: 'health-checks' },
      { term: 'troubleshooting', page: 'troubleshooting' },
      { term: 'retry', page: 'timeouts-and-retries' },
      { term: 'timeout', page: 'timeouts' },
      { term: 'load balancer', page: 'load-balancer' },
      { term: 'authz why', page: 'authz-why' },
    ]) {
      it(`finds pages by the local search: ${term}`, async () => {
        const { page, close } = await browser.newPage(address, { viewport: { width: 1440, height: 800 } });
        try {
          await page.goto('/', { waitUntil: 'networkidle' });
          const input = page.locator('#localsearch-input');
          // The shortcut works only after the page's script has started.
          await eventually(
            async () => {
              await page.keyboard.press('Control+k');
              await input.waitFor({ timeout: 2000 });
            },
            { withinMs: 60_000 },
          );
          await input.fill(term);
          const hits = page.locator('a.result');
          await hits.first().waitFor();
          const targets = await hits.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
          expect(
            targets.some((target) => target.includes(expected)),
            targets.join(' '),
          ).to.equal(true);
        } finally {
          await close();
        }
      });
    }
  });
});
