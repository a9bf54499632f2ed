import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GitBench, serverOf } from '../../../../plugins/source-git/test/git-bench.ts';
import type { Json } from '../../../support/registry-under-test.ts';

/** Sources that can be read. */
export const HEALTHY = ['changing', 'large', 'git'] as const;

/** Number of entries of the changing source. */
export const CHANGING = 20;
/** Number of files in the repository. */
export const FILES = 10;

const PAGE = 1000;

/**
 * Five sources on loopback: one fails, one never responds, one changes every second, one is a large registry
 * in which one row changes each time, and one is a repository.
 */
export class FiveSources {
  readonly git: GitBench;
  /** Maximum number of requests at the same time, by source. */
  readonly maxAtOnce = new Map<string, number>();
  readonly rows: number;
  readonly #server: Server;
  readonly #atOnce = new Map<string, number>();
  readonly #pages: readonly string[];
  #largeReads = 0;

  private constructor(git: GitBench, rows: number) {
    this.git = git;
    this.rows = rows;
    this.#pages = Array.from({ length: Math.ceil(rows / PAGE) }, (_, page) => pageOf(page, rows));
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async open(rows: number): Promise<FiveSources> {
    const git = await GitBench.open();
    const opened = new FiveSources(git, rows);
    opened.#server.listen(0, '127.0.0.1');
    await once(opened.#server, 'listening');
    await opened.commit(0);
    return opened;
  }

  /** Sources for the configuration. Each one is also a registry. */
  config(intervalSeconds: number): {
    readonly sources: readonly Json[];
    readonly registries: readonly Json[];
  } {
    // SAFETY: the address of a TCP server is an object.
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const syncPolicy = { interval: `${intervalSeconds}s`, allowShrink: true };
    const repository = `${this.git.server.url}/catalogue.git`;
    const sources = [
      { name: 'failing', file: { url: `${url}/failing` }, syncPolicy },
      { name: 'hanging', file: { url: `${url}/hanging`, timeout: '1h' }, syncPolicy },
      { name: 'changing', file: { url: `${url}/changing` }, syncPolicy },
      {
        name: 'large',
        api: { endpoint: url, types: ['server'], pageSize: PAGE, fullSyncInterval: '1s' },
        syncPolicy,
      },
      { name: 'git', git: { repository, path: '*.json', allowHttp: true }, syncPolicy },
    ];
    return { sources, registries: sources.map(({ name }) => ({ name, sources: [name] })) };
  }

  /** Commits another generation of the repository. */
  async commit(generation: number): Promise<void> {
    const file = (at: number): string =>
      JSON.stringify({ ...serverOf(`git-${at}`), title: `g${generation}` });
    await this.git.repository.commit(
      Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`${at}.json`, file(at)])),
    );
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    await this.git.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sources');
    const name = pathname.slice(1);
    this.#count(name, response);
    if (name === 'hanging') return;
    if (name === 'changing') response.end(changing(Math.floor(Date.now() / 1000)));
    else if (name === 'v0.1/servers') response.end(this.#page(searchParams));
    else response.writeHead(name === 'failing' ? 500 : 404).end('{"error":"no"}');
  }

  #page(query: URLSearchParams): string {
    const page = Number(query.get('cursor') ?? 0);
    const text = this.#pages[page] ?? '';
    if (page > 0 || query.get('limit') === '1') return text;
    this.#largeReads += 1;
    return text.replace('the first one', `the first one, read ${this.#largeReads}`);
  }

  #count(name: string, response: ServerResponse): void {
    const now = (this.#atOnce.get(name) ?? 0) + 1;
    this.#atOnce.set(name, now);
    this.maxAtOnce.set(name, Math.max(now, this.maxAtOnce.get(name) ?? 0));
    response.on('close', () => this.#atOnce.set(name, (this.#atOnce.get(name) ?? 0) - 1));
  }
}

/** Entries that all contain the same generation. */
function changing(generation: number): string {
  const servers = Array.from({ length: CHANGING }, (_, at) => ({
    ...serverOf(`changing-${at}`),
    title: `g${generation}`,
  }));
  return JSON.stringify({ data: { servers } });
}

function pageOf(page: number, rows: number): string {
  const [from, to] = [page * PAGE, Math.min((page + 1) * PAGE, rows)];
  const servers = Array.from({ length: to - from }, (_, at) => ({
    server: {
      ...serverOf(`large-${from + at}`),
      description: from + at === 0 ? 'the first one' : `What server ${from + at} is good for.`,
    },
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: 'active',
        updatedAt: '2026-01-10T12:00:00.000Z',
      },
    },
  }));
  const next = to < rows ? { nextCursor: String(page + 1) } : {};
  return JSON.stringify({ servers, metadata: { count: servers.length, ...next } });
}
