import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseConfig } from '@portolan/kernel';
import type { Logger } from '@portolan/plugin-api';
import pg from 'pg';
import { openStore, type Store } from '@portolan/registry';

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export const POSTGRES_URL = process.env['PORTOLAN_TEST_POSTGRES_URL'];

/** An empty database of one engine, gone with `drop`. */
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

async function sqliteFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  return {
    config: { ...DATABASE_DEFAULTS, url: `sqlite:${join(folder, 'registry.db')}` },
    drop: () => rm(folder, { recursive: true }),
  };
}

async function sqliteMemory(): Promise<TestDatabase> {
  return { config: { ...DATABASE_DEFAULTS, url: 'sqlite::memory:' }, drop: async () => {} };
}

/** A database of its own on the server that PORTOLAN_TEST_POSTGRES_URL names. */
export async function postgres(): Promise<TestDatabase> {
  if (POSTGRES_URL === undefined) throw new TypeError('PORTOLAN_TEST_POSTGRES_URL is not set');
  const name = `portolan_test_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: POSTGRES_URL });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return {
    config: { ...DATABASE_DEFAULTS, url: url.href },
    drop: () => run(`drop database ${name} with (force)`),
  };
}

export const ENGINES: readonly { readonly name: string; make(): Promise<TestDatabase> }[] = [
  { name: 'SQLite in memory', make: sqliteMemory },
  { name: 'SQLite in a file', make: sqliteFile },
  { name: 'PostgreSQL', make: postgres },
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
export function forEachEngine(
  suite: (engine: { readonly name: string; make(): Promise<TestDatabase> }) => void,
): void {
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
