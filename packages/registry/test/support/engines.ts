import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseConfig } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import pg from 'pg';
import { openStore, type Store } from '@portolan/registry';

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export const POSTGRES_URL = process.env['PORTOLAN_TEST_POSTGRES_URL'];

/** A database of one engine, gone with `drop`. */
export interface TestDatabase {
  readonly config: DatabaseConfig;
  drop(): Promise<void>;
}

export const DATABASE_DEFAULTS = {
  maxOpenConns: 10,
  maxIdleConns: 0,
  connMaxLifetime: '5m',
  maxMetaSize: 262_144,
  migrateOnStart: true,
} as const;

async function sqliteFile(content?: Uint8Array): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  const file = join(folder, 'registry.db');
  if (content !== undefined) await writeFile(file, content, { mode: 0o600 });
  return {
    config: { ...DATABASE_DEFAULTS, url: `sqlite:${file}` },
    drop: () => rm(folder, { recursive: true }),
  };
}

async function sqliteMemory(): Promise<TestDatabase> {
  return { config: { ...DATABASE_DEFAULTS, url: 'sqlite::memory:' }, drop: async () => {} };
}

/** A database of its own on the server that PORTOLAN_TEST_POSTGRES_URL names, a copy of another one where that is given. */
async function postgres(template?: TestDatabase): Promise<TestDatabase> {
  if (POSTGRES_URL === undefined) throw new TypeError('PORTOLAN_TEST_POSTGRES_URL is not set');
  const name = `portolan_test_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const like =
    template === undefined ? '' : ` template ${new URL(template.config.url ?? '').pathname.slice(1)}`;
  await run(`create database ${name}${like}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return {
    config: { ...DATABASE_DEFAULTS, url: url.href },
    drop: () => run(`drop database ${name} with (force)`),
  };
}

// Made once, for all tests of this process that begin with tables: migrations take longer than most of them.
let migratedFile: Promise<Uint8Array> | undefined;
let template: Promise<TestDatabase> | undefined;

// Of the whole run, since nobody knows which suite is the last; there is none in a process that a test starts.
if ('after' in globalThis) after(async () => (await template)?.drop());

async function readMigratedFile(): Promise<Uint8Array> {
  const database = await migrated(await sqliteFile());
  try {
    return await readFile((database.config.url ?? '').replace(/^sqlite:/, ''));
  } finally {
    await database.drop();
  }
}

async function migrated(database: TestDatabase): Promise<TestDatabase> {
  await (await openTestStore(database.config)).close();
  return database;
}

export interface TestEngine {
  readonly name: string;
  /** A database that has its tables. */
  make(): Promise<TestDatabase>;
  makeEmpty(): Promise<TestDatabase>;
}

export const ENGINES: readonly TestEngine[] = [
  { name: 'SQLite in memory', make: sqliteMemory, makeEmpty: sqliteMemory },
  {
    name: 'SQLite in a file',
    make: async () => await sqliteFile(await (migratedFile ??= readMigratedFile())),
    makeEmpty: () => sqliteFile(),
  },
  {
    name: 'PostgreSQL',
    make: async () => await postgres(await (template ??= postgres().then(migrated))),
    makeEmpty: () => postgres(),
  },
];

/** Opens a database of the given configuration, migrated. */
export async function openTestStore(config: DatabaseConfig): Promise<Store> {
  const store = await openStore(config, {
    directory: tmpdir(),
    environment: {},
    logger: silent,
    connMaxLifetimeMs: 300_000,
  });
  await store.migrations.up();
  return store;
}

/** One suite for every engine; PostgreSQL is skipped, and said to be, when no server is named. */
export function forEachEngine(suite: (engine: TestEngine) => void): void {
  for (const engine of ENGINES) {
    const isMissing = engine.name === 'PostgreSQL' && POSTGRES_URL === undefined;
    if (isMissing) {
      describe('on PostgreSQL', () => {
        it('is skipped: PORTOLAN_TEST_POSTGRES_URL names no server');
      });
    } else {
      describe(`on ${engine.name}`, () => suite(engine));
    }
  }
}
