import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from './databases.ts';
import { type MeasureOptions, REGISTRY } from './figures.ts';
import type { CatalogueFacts } from './generate.ts';
import { HttpConnection, wireRequest } from './http-connection.ts';
import { LightReader, type ReadTimes } from './light-reader.ts';
import { cpuMs } from './process-figures.ts';
import { fileSource, startPortolanOver, waitForEntries, waitUntilIdle } from './start-portolan.ts';
import { type RunningProcess, waitForResponse } from './start-process.ts';
import { median, percentile } from './statistics.ts';
import { NOUNS } from './words.ts';

/** Figures of one kind of page, requested sequentially. */
export interface PageFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

export interface PagesFigures {
  readonly count: number;
  /** Time of the first page of an uncached registry. */
  readonly coldMs: number;
  readonly byPage: Readonly<Record<string, PageFigures>>;
  /**
   * Latencies of fifty API reads a second, alone and with a hundred pages a second. Medians over the turns.
   */
  readonly alone: ReadTimes;
  readonly beside: ReadTimes;
  /** Pages per second that were served. */
  readonly pagesPerSecond: number;
}

type Pages = Readonly<Record<string, (index: number) => string>>;

const PAGES_PER_SECOND = 100;
const CONNECTIONS = 8;
const HEADERS = { accept: 'text/html' };

/** Measures each page, and the effect of a hundred pages a second on API readers. */
export async function measurePages(
  engine: Engine,
  facts: CatalogueFacts,
  options: MeasureOptions,
): Promise<PagesFigures> {
  const folder = path.join(options.folder, `${engine.name}-pages`);
  await mkdir(folder);
  const server = await startPortolanOver(
    {
      sources: [fileSource(REGISTRY, facts.file)],
      registries: [{ name: REGISTRY, sources: [REGISTRY] }],
      auth: { mode: 'anonymous' },
      pages: { 'web-console': {} },
    },
    { ...options, folder, databaseUrl: await engine.createDatabase(), cached: true },
  );
  options.undo.push('portolan serve', () => server.stop());
  await waitForEntries(server, REGISTRY, 120_000);
  await waitUntilIdle(server);
  const coldMs = await timeOf(server, `/browse/${REGISTRY}`);
  const whole = (status: number, body: Buffer): boolean => status === 200 && !body.includes('data-pending');
  await waitForResponse(server, `/browse/${REGISTRY}`, whole, { headers: HEADERS, everyMs: 200 });
  const pages = pagesOf(facts);
  const byPage: Record<string, PageFigures> = {};
  for (const [name, pathOf] of Object.entries(pages))
    byPage[name] = await measurePage(server, pathOf, options.quick ? 100 : 300);
  const turns = await takeTurns(server, pages, options.quick ? 3 : 15);
  await server.stop();
  return { count: facts.count, coldMs, byPage, ...turns };
}

function pagesOf({ latest }: CatalogueFacts): Pages {
  const entryAt = (index: number): string => latest[(index * 37) % latest.length]?.name ?? '';
  return {
    'first page': () => '/',
    registry: () => `/browse/${REGISTRY}`,
    'deep page': (index) => `/browse/${REGISTRY}?page=${2 + (index % 300)}`,
    // Most of these searches are new.
    search: (index) => `/browse/${REGISTRY}?q=${NOUNS[index % NOUNS.length]}+${(index % 1296).toString(36)}`,
    'search everywhere': (index) => `/search?q=${NOUNS[index % NOUNS.length]}+${(index % 1296).toString(36)}`,
    entry: (index) =>
      `/browse/${REGISTRY}/servers/${entryAt(index).split('/').map(encodeURIComponent).join('/')}`,
  };
}

async function timeOf(server: RunningProcess, asked: string): Promise<number> {
  const connection = new HttpConnection(server.url);
  try {
    const since = performance.now();
    await readPage(connection, server, asked);
    return performance.now() - since;
  } finally {
    connection.close();
  }
}

async function readPage(connection: HttpConnection, { url }: RunningProcess, asked: string): Promise<void> {
  const { status, body } = await connection.send(wireRequest(url, asked, HEADERS));
  if (status !== 200 || !body.includes('</html>')) throw new Error(`${asked}: status ${status}`);
}

async function measurePage(
  server: RunningProcess,
  pathOf: (index: number) => string,
  times: number,
): Promise<PageFigures> {
  const connection = new HttpConnection(server.url);
  try {
    for (let index = 0; index < 30; index += 1) await readPage(connection, server, pathOf(index + 5000));
    const latenciesMs: number[] = [];
    const before = cpuMs(server.pid);
    for (let index = 0; index < times; index += 1) {
      const since = performance.now();
      await readPage(connection, server, pathOf(index));
      latenciesMs.push(performance.now() - since);
    }
    return {
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuMs: (cpuMs(server.pid) - before) / times,
    };
  } finally {
    connection.close();
  }
}

/** Alternates between the API alone and with pages. */
async function takeTurns(
  server: RunningProcess,
  pages: Pages,
  rounds: number,
): Promise<Pick<PagesFigures, 'alone' | 'beside' | 'pagesPerSecond'>> {
  const turnMs = 6000;
  const reader = new LightReader(server, `/registry/${REGISTRY}/v0.1/servers`);
  const [alone, beside, rates]: [ReadTimes[], ReadTimes[], number[]] = [[], [], []];
  const measure = async (): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      await reader.take();
      await pause(turnMs);
      alone.push(await reader.take());
      const answered = await sendPages(server, pages, turnMs);
      beside.push(await reader.take());
      rates.push(answered / (turnMs / 1000));
    }
  };
  try {
    await Promise.race([measure(), reader.ended]);
  } finally {
    await reader.stop();
  }
  return { alone: middleOf(alone), beside: middleOf(beside), pagesPerSecond: median(rates) };
}

/** Sends all kinds of pages in rotation on a fixed schedule; returns the number of responses. */
async function sendPages(server: RunningProcess, pages: Pages, forMs: number): Promise<number> {
  const kinds = Object.values(pages);
  const began = performance.now();
  const total = (PAGES_PER_SECOND * forMs) / 1000;
  const send = async (first: number): Promise<void> => {
    const connection = new HttpConnection(server.url);
    try {
      for (let index = first; index < total; index += CONNECTIONS) {
        await pause(Math.max(0, began + (index * 1000) / PAGES_PER_SECOND - performance.now()));
        await readPage(connection, server, kinds[index % kinds.length]?.(index) ?? '/');
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => send(first)));
  return (total * forMs) / Math.max(forMs, performance.now() - began);
}

function middleOf(turns: readonly ReadTimes[]): ReadTimes {
  const middle = (of: (times: ReadTimes) => number): number => median(turns.map(of));
  return {
    count: turns.reduce((sum, { count }) => sum + count, 0),
    leftOut: turns.reduce((sum, { leftOut }) => sum + leftOut, 0),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    worstMs: Math.max(...turns.map(({ worstMs }) => worstMs)),
    workP99Ms: middle(({ workP99Ms }) => workP99Ms),
  };
}
