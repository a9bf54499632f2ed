import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { stringify } from 'yaml';
import { RunningPortolan } from './command-line.ts';
import { createTestDatabase, type Engine, type TestDatabase } from './test-database.ts';

export const MODES = ['full', 'auth-only', 'anonymous'] as const;
export type Mode = (typeof MODES)[number];

export type Json = Readonly<Record<string, unknown>>;

/** Address of the server as clients know it. */
export const RESOURCE_URL = 'https://registry.acme.example';

/** Rules that give roles by the claim `role` of a token. */
export const ROLE_RULES: Json = {
  superAdmin: [{ role: 'admin' }],
  manageSources: [{ role: 'sources' }],
  manageRegistries: [{ role: 'registries' }],
  manageEntries: [{ role: 'entries' }],
};

export interface RegistryOptions {
  readonly engine: Engine;
  readonly mode: Mode;
  /** Top-level keys of the configuration, such as `sources` and `registries`. */
  readonly config: Json;
  /** Further keys of `auth`. */
  readonly auth?: Json;
  /** Providers in addition to the issuer of the test. */
  readonly moreProviders?: readonly Json[];
  /** A second process on the same database and with the same issuer. */
  readonly beside?: RegistryUnderTest;
  /** Existing database, which the caller removes. */
  readonly database?: TestDatabase;
  /** Variables of the process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Returns the JSON body. Throws if the body is not JSON. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what a test expects the body to be
  json<T = Json>(): T;
}

/**
 * A process of `portolan serve` on free ports, with an issuer whose tokens it accepts and an empty database.
 * The caller has to close it.
 */
export class RegistryUnderTest {
  readonly url: string;
  readonly issuer: TestIssuer;
  readonly process: RunningPortolan;
  readonly folder: string;
  readonly database: TestDatabase;
  /** Closes what was started for this server only. */
  readonly #owned: readonly (() => Promise<void>)[];

  private constructor(parts: {
    readonly url: string;
    readonly issuer: TestIssuer;
    readonly process: RunningPortolan;
    readonly folder: string;
    readonly database: TestDatabase;
    readonly owned: readonly (() => Promise<void>)[];
  }) {
    this.url = parts.url;
    this.issuer = parts.issuer;
    this.process = parts.process;
    this.folder = parts.folder;
    this.database = parts.database;
    this.#owned = parts.owned;
  }

  /** Starts a server. If the start fails, closes everything that it needed. */
  static async start({
    engine,
    mode,
    config,
    auth = {},
    moreProviders = [],
    beside,
    database: testDatabase,
    env = {},
  }: RegistryOptions): Promise<RegistryUnderTest> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-acceptance-'));
    const issuer = beside?.issuer ?? (await startTestIssuer());
    const shared = testDatabase ?? beside?.database;
    const database = shared ?? (await createTestDatabase(engine, folder));
    const file = path.join(folder, 'portolan.config.yaml');
    await writeFile(
      file,
      stringify({
        ...config,
        auth: authBlock(mode, issuer, moreProviders, auth),
        database: { url: database.url },
        server: { address: '127.0.0.1:0', internalAddress: 'off' },
      }),
    );
    const process = new RunningPortolan(['serve', '--config', file], { cwd: folder, env });
    try {
      const { address } = await process.logged('listening');
      const url = `http://${String(address)}`;
      return new RegistryUnderTest({
        url,
        issuer,
        process,
        folder,
        database,
        owned: [
          ...(beside === undefined ? [() => issuer.close()] : []),
          ...(shared === undefined ? [() => database.remove()] : []),
        ],
      });
    } catch (error) {
      await process.stop();
      if (beside === undefined) await issuer.close();
      if (shared === undefined) await database.remove();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Returns a token with these claims. It is valid for longer than the longest test run. */
  token(claims: Json = {}): string {
    return this.issuer.sign({ exp: Math.floor(Date.now() / 1000) + 86_400, ...claims });
  }

  /** Sends a request. An object is sent as JSON, a string unchanged. */
  async send(method: string, target: string, { token, body, headers }: RequestOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- likewise
      json: <T>() => JSON.parse(text) as T,
    };
  }

  /** Returns only the status of a response. */
  async status(method: string, target: string, options?: RequestOptions): Promise<number> {
    return (await this.send(method, target, options)).status;
  }

  async close(): Promise<void> {
    await this.process.stop();
    await Promise.all(this.#owned.map((close) => close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

function authBlock(mode: Mode, issuer: TestIssuer, providers: readonly Json[], more: Json): Json {
  if (mode === 'anonymous') return { mode: 'anonymous', ...more };
  const provider = { name: 'test', issuerUrl: issuer.issuerUrl, audience: 'portolan', allowPrivateIP: true };
  return {
    mode: 'oauth',
    oauth: { resourceUrl: RESOURCE_URL, providers: [provider, ...providers] },
    ...(mode === 'full' ? { authz: { roles: ROLE_RULES } } : {}),
    ...more,
  };
}

/** Server document that passes every rule of publishing. */
export function serverDocument(name: string, version = '1.0.0', more: Json = {}): Json {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    description: `What ${name} does.`,
    version,
    ...more,
  };
}

/** Skill or plugin document that passes every rule of publishing. */
export function extensionDocument(namespace: string, name: string, version = '1.0.0'): Json {
  return { namespace, name, description: `What ${name} does.`, version };
}

/** Source of kind `file` with its catalogue in the configuration. */
export function inlineSource(name: string, claims: Json | undefined, servers: readonly Json[]): Json {
  return {
    name,
    file: { data: JSON.stringify({ version: '1.0.0', data: { servers } }) },
    syncPolicy: { interval: '30m' },
    ...(claims === undefined ? {} : { claims }),
  };
}
