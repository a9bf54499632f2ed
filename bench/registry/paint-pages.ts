// node --conditions=@portolan/source bench/registry/paint-pages.ts: time to paint pages over 10,000 entries,
// in a local Chromium. Run by hand; the result depends on the machine and its load. See bench/README.md.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { findBrowser, TestBrowser } from '../../test/support/browser.ts';
import { sqliteEngine } from './databases.ts';
import { writeCatalogue } from './generate.ts';
import {
  fileSource,
  type ServerOptions,
  startPortolanOver,
  waitForEntries,
  waitUntilIdle,
} from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';
import { median } from './statistics.ts';
import { UndoStack } from './undo-stack.ts';

const COUNT = 10_000;
const TIMES = 7;
const WORDS = ['chess', 'queue', 'ledger', 'weather', 'map', 'invoice', 'log'];

const undo = new UndoStack();
try {
  const program = await findBrowser();
  if (program === undefined) throw new Error('there is no chromium in PATH');
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-paint-'));
  undo.push('the folder', () => rm(folder, { recursive: true, force: true }));
  const { file } = await writeCatalogue(path.join(folder, 'catalogue.json'), COUNT);
  const options = {
    folder,
    databaseUrl: await sqliteEngine(folder).createDatabase(),
    cached: true,
    built: process.argv.includes('--built'),
  };
  const browser = await TestBrowser.open(program);
  undo.push('the browser', () => browser.close());
  const cold: number[] = [];
  for (let round = 1; round < TIMES; round += 1) {
    const { server, page, close } = await openServer(options, file, browser);
    cold.push(await paintOf(page, '/browse/main'));
    await close();
    await server.stop();
  }
  const { page, close } = await openServer(options, file, browser);
  undo.push('the page', () => close());
  cold.push(await paintOf(page, '/browse/main'));
  tell('first page of a registry that nobody has asked for, painted', cold);
  await page.waitForSelector('#results:not([data-pending])');
  for (const [what, address] of [
    ['first page', '/'],
    ['first page of a registry', '/browse/main'],
  ] as const) {
    const times: number[] = [];
    for (let round = 0; round < TIMES; round += 1) times.push(await paintOf(page, address));
    tell(`${what}, painted`, times);
  }
  const searches: number[] = [];
  for (const word of WORDS) searches.push(await searchFor(page, word));
  tell('a search as one types, from the last key until the list is there', searches);
} finally {
  await undo.run();
}

/**
 * Starts a server with its entries, and a browser that has already opened a window, a font and a connection.
 */
async function openServer(
  options: ServerOptions,
  file: string,
  browser: TestBrowser,
): Promise<{ server: RunningProcess; page: Page; close: () => Promise<void> }> {
  const contents = {
    sources: [fileSource('main', file)],
    registries: [{ name: 'main', sources: ['main'] }],
    auth: { mode: 'anonymous' },
    pages: { 'web-console': {} },
  };
  const server = await startPortolanOver(contents, options);
  undo.push('portolan serve', () => server.stop());
  await waitForEntries(server, 'main', 120_000);
  await waitUntilIdle(server);
  const { page, close } = await browser.newPage(server.url.origin);
  await page.goto('/nowhere');
  await pause(1000); // a new window also starts background work
  return { server, page, close };
}

/** Returns the first contentful paint in milliseconds from the navigation. */
async function paintOf(page: Page, address: string): Promise<number> {
  await page.goto(address);
  // SAFETY: the type that the script returns.
  return (await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0].startTime))
      .observe({ type: 'paint', buffered: true });
  })`)) as number;
}

/** Measures inside the page, which excludes the browser driver but includes the pause after the last key. */
async function searchFor(page: Page, word: string): Promise<number> {
  // SAFETY: the type that the script returns.
  return (await page.evaluate(`new Promise((resolve) => {
    const field = document.querySelector('input[type=search]');
    const since = performance.now();
    new MutationObserver((_, observer) => {
      if (new URL(location.href).searchParams.get('q') !== ${JSON.stringify(word)}) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - since));
    }).observe(document.body, { childList: true, subtree: true });
    field.value = ${JSON.stringify(word)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })`)) as number;
}

function tell(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const all = sorted.map((ms) => ms.toFixed(0)).join(' ');
  process.stdout.write(`${what}: ${median(sorted).toFixed(0)} ms (${all})\n`);
}
