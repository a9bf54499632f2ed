import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FakeClock } from '@portolan/plugin-testing';
import { type RunningRegistry, serveRegistry } from '@portolan/registry-server';
import { SHIPPED_FROM, SHIPPED_KINDS } from '../../../packages/cli/src/context/shipped-plugins.ts';
import { LoginProvider, USUAL_SHAPE } from '../login-provider.ts';
import { PageBrowser, type Shown } from './page-browser.ts';

type Document = Readonly<Record<string, unknown>>;

export const ADA: Document = { sub: 'ada', name: 'Ada', team: 'maps' };
export const EVE: Document = { sub: 'eve', name: 'Eve', team: 'spies' };

/**
 * A registry with pages behind a reverse proxy, two providers at which people log
 * in (at the other one also out), and browsers; with `replica` a second server on the same database.
 */
export class LoginWorld {
  static readonly publicUrl = 'https://registry.acme.example/mcp';
  readonly clock: FakeClock;
  /** Lines of the log, as they are written. */
  readonly log: string[] = [];
  readonly folder: string;
  readonly main: LoginProvider;
  readonly other: LoginProvider;
  readonly #databaseUrl: string;
  readonly #running: RunningRegistry[] = [];

  /** Left out: a database of SQLite. */
  static async open(databaseUrl?: string): Promise<LoginWorld> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-pages-'));
    const clock = new FakeClock(new Date());
    const providers = await Promise.all([
      LoginProvider.open({ clientSecret: 'hunter2-secret', clock: clock.clock }),
      LoginProvider.open({
        clientSecret: 'hunter2-secret',
        clock: clock.clock,
        shape: { ...USUAL_SHAPE, endSessionPath: '/end' },
      }),
    ]);
    const world = new LoginWorld(folder, clock, providers, databaseUrl);
    await world.start();
    return world;
  }

  private constructor(
    folder: string,
    clock: FakeClock,
    [main, other]: readonly [LoginProvider, LoginProvider],
    databaseUrl: string | undefined,
  ) {
    this.folder = folder;
    this.clock = clock;
    this.main = main;
    this.other = other;
    this.#databaseUrl = databaseUrl ?? `sqlite:${path.join(folder, 'registry.db')}`;
  }

  /** Starts a server on the database; with keys of its own where `ownKeys` says so. */
  async start(ownKeys = false): Promise<string> {
    const keyFile = path.join(this.folder, ownKeys ? 'own-keys' : 'keys');
    const secretFile = path.join(this.folder, 'secret');
    const isFirst = this.#running.length === 0;
    if (ownKeys || isFirst)
      await writeFile(keyFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    if (isFirst) await writeFile(secretFile, 'hunter2-secret\n');
    const provider = ({ issuerUrl }: LoginProvider, name: string): Document => ({
      name,
      issuerUrl,
      audience: 'portolan',
      allowPrivateIP: true,
      login: { clientId: 'pages', clientSecretFile: secretFile },
    });
    const running = await serveRegistry({
      boot: {
        config: {
          value: {
            sources: [{ name: 'all', managed: {} }],
            registries: [
              { name: 'open', sources: ['all'], public: true },
              { name: 'maps', sources: ['all'], claims: { team: 'maps' } },
              { name: 'spies', sources: ['all'], claims: { team: 'spies' } },
            ],
            auth: {
              mode: 'oauth',
              oauth: { providers: [provider(this.main, 'main'), provider(this.other, 'other')] },
              authz: { roles: { superAdmin: [{ role: 'admin' }] } },
            },
            pages: { 'web-console': {} },
            sessions: { keyFile },
            database: { url: this.#databaseUrl },
            server: { address: '127.0.0.1:0', internalAddress: 'off', publicUrl: LoginWorld.publicUrl },
          },
          directory: this.folder,
        },
        environment: {},
        shipped: SHIPPED_KINDS,
        shippedFrom: SHIPPED_FROM,
        logDestination: { write: (line: string) => void this.log.push(line) },
        clock: this.clock.clock,
        nowMs: this.clock.nowMs,
      },
      version: { version: '0.0.0-test' },
    });
    this.#running.push(running);
    return this.url(this.#running.length - 1);
  }

  /** Where a server is, behind the reverse proxy. */
  url(index = 0): string {
    const running = this.#running[index];
    if (running === undefined) throw new Error('there is no such server');
    // What it listens at; its public address is what browsers are told.
    return `http://127.0.0.1:${new URL(running.server.publicUrl).port}`;
  }

  browser(index = 0): PageBrowser {
    return new PageBrowser(LoginWorld.publicUrl, this.url(index));
  }

  /** Begins a login, up to where the provider sends the browser back to. */
  async cameBack(browser: PageBrowser, claims: Document = ADA, provider = 'main', back = '/'): Promise<URL> {
    const query = new URLSearchParams({ provider, return: back }).toString();
    const { location = '' } = await browser.get(`/login?${query}`);
    return (provider === 'main' ? this.main : this.other).agree(new URL(location), claims);
  }

  /** Logs somebody in; what the browser is answered at the end. */
  async logIn(browser: PageBrowser, claims: Document = ADA, provider = 'main', back = '/'): Promise<Shown> {
    return await browser.get((await this.cameBack(browser, claims, provider, back)).href);
  }

  /** A browser in which somebody is logged in. */
  async loggedIn(claims: Document = ADA, index = 0): Promise<PageBrowser> {
    const browser = this.browser(index);
    await this.logIn(browser, claims);
    return browser;
  }

  async close(): Promise<void> {
    for (const running of this.#running) await running.stop();
    await Promise.all([this.main.close(), this.other.close()]);
    await rm(this.folder, { recursive: true });
  }
}

/** Who a browser is taken for, by what it is shown. */
export async function seenAs(browser: PageBrowser): Promise<string> {
  const { text } = await browser.get('/');
  return text.includes('Log out') ? (/Ada|Eve/.exec(text)?.[0] ?? 'somebody') : 'nobody';
}

/** What its forms send along. */
export async function csrfIn(browser: PageBrowser): Promise<string> {
  const { text } = await browser.get('/');
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** Somebody writes to the database of SQLite. */
export function inDatabase<T>({ folder }: LoginWorld, act: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path.join(folder, 'registry.db'), { timeout: 5000 });
  try {
    return act(database);
  } finally {
    database.close();
  }
}
