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
 * A registry with pages behind a reverse proxy, two providers (the second supports logout), and browsers.
 * With `replica`, a second server uses the same database.
 */
export class LoginWorld {
  static readonly publicUrl = 'https://registry.acme.example/mcp';
  readonly clock: FakeClock;
  /** Lines of the log. */
  readonly log: string[] = [];
  readonly folder: string;
  readonly main: LoginProvider;
  readonly other: LoginProvider;
  readonly #databaseUrl: string;
  readonly #running: RunningRegistry[] = [];

  /** Without it, the database is SQLite. */
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

  /** Starts a server on the database. With `ownKeys`, it has its own keys. */
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

  /** URL of a server behind the reverse proxy. */
  url(index = 0): string {
    const running = this.#running[index];
    if (running === undefined) throw new Error('there is no such server');
    // The address on which the server listens. Browsers use its public address.
    return `http://127.0.0.1:${new URL(running.server.publicUrl).port}`;
  }

  browser(index = 0): PageBrowser {
    return new PageBrowser(LoginWorld.publicUrl, this.url(index));
  }

  /** Begins a login and returns the redirect of the provider. */
  async cameBack(browser: PageBrowser, claims: Document = ADA, provider = 'main', back = '/'): Promise<URL> {
    const query = new URLSearchParams({ provider, return: back }).toString();
    const { location = '' } = await browser.get(`/login?${query}`);
    return (provider === 'main' ? this.main : this.other).agree(new URL(location), claims);
  }

  /** Logs a person in and returns the last response to the browser. */
  async logIn(browser: PageBrowser, claims: Document = ADA, provider = 'main', back = '/'): Promise<Shown> {
    return await browser.get((await this.cameBack(browser, claims, provider, back)).href);
  }

  /** Returns a browser in which a person is logged in. */
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

/** Returns the person for whom the pages take a browser. */
export async function seenAs(browser: PageBrowser): Promise<string> {
  const { text } = await browser.get('/');
  return text.includes('Log out') ? (/Ada|Eve/.exec(text)?.[0] ?? 'somebody') : 'nobody';
}

/** Returns the CSRF token in the forms of a page. */
export async function csrfIn(browser: PageBrowser): Promise<string> {
  const { text } = await browser.get('/');
  return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** Runs a statement in the SQLite database. */
export function inDatabase<T>({ folder }: LoginWorld, act: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path.join(folder, 'registry.db'), { timeout: 5000 });
  try {
    return act(database);
  } finally {
    database.close();
  }
}
