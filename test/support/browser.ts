import { access, constants, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser'];

/** The browser of this machine, if it has one; nothing is ever fetched. */
export async function findBrowser(): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  for (const file of folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)))) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/** A page that takes down what no page of ours may do. */
export interface WatchedPage {
  readonly page: Page;
  /** Complaints of the browser (a policy that was broken among them), errors of scripts, dialogs, and requests to other hosts. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

/** Chromium without a window. Whoever opens it closes it. */
export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(executablePath: string): Promise<TestBrowser> {
    // As root in a container there is no sandbox, nor much shared memory.
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** A page with a profile of its own, of pages below this address. */
  async newPage(address: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await this.#browser.newContext({ baseURL: address, ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      // That an answer says 404 is what the page is asked for.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${address}/`) && !url.startsWith('data:')) faults.push(`request to ${url}`);
    });
    return { page, faults, close: () => context.close() };
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** Lays out what is not in the window, too, as scrolling there would; pictures and axe-core look at all of a page. */
export async function showAll(page: Page): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll('body *'))
    if (getComputedStyle(element).contentVisibility === 'auto') element.style.contentVisibility = 'visible';`);
}

/** What axe-core finds wrong for people who do not see, or use no mouse; empty when all is well. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await showAll(page);
  await page.evaluate(source);
  // SAFETY: what this very script answers.
  return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`)) as readonly string[];
}
