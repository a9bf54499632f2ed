import { access, constants, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser'];

/** Returns the path of the installed browser, or undefined. It downloads nothing. */
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

/** A page that records faults which no page of Portolan may have. */
export interface WatchedPage {
  readonly page: Page;
  /**
   * Messages of the browser (such as violations of the content policy), script errors, dialogs, and requests
   * to other hosts.
   */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

/** Chromium without a window. The caller has to close it. */
export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(executablePath: string): Promise<TestBrowser> {
    // Chromium as root in a container needs no sandbox and little shared memory.
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    return new TestBrowser(await chromium.launch({ executablePath, args }));
  }

  /** Opens a page with its own profile, for addresses below this base. */
  async newPage(address: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const context = await this.#browser.newContext({ baseURL: address, ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      // The browser logs an error for a response with status 404, which these pages expect.
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

/** Renders the parts outside the window, as scrolling does. Screenshots and axe-core need the whole page. */
export async function showAll(page: Page): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll('body *'))
    if (getComputedStyle(element).contentVisibility === 'auto') element.style.contentVisibility = 'visible';`);
}

/** Returns the accessibility violations that axe-core finds. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await showAll(page);
  await page.evaluate(source);
  // SAFETY: the script above returns this type.
  return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`)) as readonly string[];
}
