import { rm, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import pg from 'pg';
import { inlineSource, RegistryUnderTest, serverDocument } from '../../../support/registry-under-test.ts';
import type { SeededRandom } from '../../../support/seeded-random.ts';
import { CALM, StormyLink, type Weather } from '../../../support/stormy-link.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/test-database.ts';
import { Witness } from './witness.ts';

/** Two claims. A caller with one of them never sees the entries of the other. */
export const ORGS = ['acme', 'beta'] as const;
export type Org = (typeof ORGS)[number];

export const LIST = '/registry/main/v0.1/servers';

/** Resources that exist from the start. */
export const OF_CONFIGURATION: ReadonlyMap<string, Org> = new Map([
  ['org.acme/always', 'acme'],
  ['org.beta/always', 'beta'],
]);

const GATE = { team: 'eng' };
const STORM: Weather = { lost: 0.004, unanswered: 0.006, torn: 0.004, late: 0.02, slow: 0.01, mute: 0 };
/** Small number of connections, so that a leaked one matters. */
const CONNECTIONS = 8;

/** Servers on one database, behind one link with faults. The caller has to close it. */
export class Scene {
  readonly witness = new Witness();
  readonly random: SeededRandom;
  readonly servers: readonly RegistryUnderTest[];
  readonly link: StormyLink;
  /** Database connection without the link. */
  readonly truth: pg.Client;
  readonly #database: TestDatabase;
  readonly #folder: string;

  private constructor(parts: {
    readonly random: SeededRandom;
    readonly servers: readonly RegistryUnderTest[];
    readonly link: StormyLink;
    readonly truth: pg.Client;
    readonly database: TestDatabase;
    readonly folder: string;
  }) {
    this.random = parts.random;
    this.servers = parts.servers;
    this.link = parts.link;
    this.truth = parts.truth;
    this.#database = parts.database;
    this.#folder = parts.folder;
  }

  static async start(count: number, random: SeededRandom): Promise<Scene> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-chaos-'));
    try {
      return await Scene.#startIn(folder, count, random);
    } catch (error) {
      await rm(folder, { recursive: true });
      throw error;
    }
  }

  static async #startIn(folder: string, count: number, random: SeededRandom): Promise<Scene> {
    const database = await createTestDatabase('PostgreSQL', folder);
    const url = new URL(database.url);
    const link = new StormyLink(
      { host: url.hostname, port: Number(url.port || 5432) },
      { next: () => random.next(), delayMs: () => 20 + random.below(400) },
    );
    await link.open();
    url.host = `127.0.0.1:${link.port}`;
    const servers: RegistryUnderTest[] = [];
    for (let place = 0; place < count; place += 1)
      servers.push(await startServer(url, auditFile(folder, place), servers[0]));
    const truth = new pg.Client({ connectionString: database.url });
    await truth.connect();
    return new Scene({ random, servers, link, truth, database, folder });
  }

  anyServer(): RegistryUnderTest {
    return this.random.pick(this.servers);
  }

  tokenOf(org: Org): string {
    return this.#first.token({ org, ...GATE });
  }

  get admin(): string {
    return this.#first.token({ role: 'admin' });
  }

  get #first(): RegistryUnderTest {
    const [first] = this.servers;
    if (first === undefined) throw new TypeError('a scene has a server');
    return first;
  }

  /**
   * Breaks and delays connections (single ones, all, or new ones) for this time, and restores them at the
   * end.
   */
  async storm(lastsMs: number): Promise<void> {
    const until = performance.now() + lastsMs;
    while (performance.now() < until) {
      this.link.weather = STORM;
      await pass(300 + this.random.below(1200));
      await this.#gust();
      this.link.weather = CALM;
      await pass(this.random.below(400));
    }
  }

  async #gust(): Promise<void> {
    const kind = this.random.pick(['none', 'refuse', 'break', 'break and refuse', 'terminate'] as const);
    if (kind === 'terminate')
      await this.truth.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'portolan'",
      );
    if (kind.startsWith('break')) this.link.breakAll();
    this.link.refuses = kind.endsWith('refuse');
    if (this.link.refuses) await pass(this.random.below(700));
    this.link.refuses = false;
  }

  /**
   * Settles when no work of a finished request remains: the database has no open statement or transaction.
   */
  async settled(): Promise<void> {
    await eventually(
      async () => {
        const { rows } = await this.truth.query<{ query: string }>(
          "select query from pg_stat_activity where datname = current_database() and application_name = 'portolan' and state <> 'idle'",
        );
        expect(rows, 'statements and transactions that go on').to.deep.equal([]);
      },
      { withinMs: 40_000 },
    );
  }

  /**
   * Stops the servers. Returns their exit statuses, the log lines that are not JSON, and the lines of their
   * audit logs.
   */
  async stop() {
    return await Promise.all(
      this.servers.map(async (server, place) => {
        const { status, stderr } = await server.process.stop();
        const audit = await readFile(auditFile(this.#folder, place), 'utf8');
        const odd = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
        return { server, status, odd, log: server.process.log, audit: audit.trimEnd().split('\n') };
      }),
    );
  }

  async close(): Promise<void> {
    for (const server of this.servers.toReversed()) await server.close();
    await this.truth.end();
    await this.link.close();
    await this.#database.remove();
    await rm(this.#folder, { recursive: true });
  }
}

function auditFile(folder: string, place: number): string {
  return path.join(folder, `audit-${place}.log`);
}

async function startServer(
  url: URL,
  logFile: string,
  beside: RegistryUnderTest | undefined,
): Promise<RegistryUnderTest> {
  const ofOrgs = [...OF_CONFIGURATION].map(([name, org]) =>
    inlineSource(`always-${org}`, { org }, [serverDocument(name)]),
  );
  const sources = [{ name: 'published', managed: {} }, ...ofOrgs];
  return await RegistryUnderTest.start({
    engine: 'PostgreSQL',
    mode: 'full',
    database: { url: url.href, remove: () => Promise.resolve() },
    ...(beside === undefined ? {} : { beside }),
    config: {
      sources,
      registries: [{ name: 'main', sources: sources.map(({ name }) => name), claims: GATE }],
      middleware: { audit: { enabled: true, logFile } },
    },
    env: { PORTOLAN_DATABASE_MAXOPENCONNS: String(CONNECTIONS) },
  });
}

export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
