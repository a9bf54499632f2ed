import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';

export const ENGINES = ['SQLite', 'PostgreSQL'] as const;
export type Engine = (typeof ENGINES)[number];

/** Address of a PostgreSQL server whose role may create databases, or undefined. */
export const POSTGRES = process.env['PORTOLAN_TEST_POSTGRES_URL'];

export interface TestDatabase {
  /** Value of `database.url`. */
  readonly url: string;
  /** Removes the database and closes its connections. */
  remove(): Promise<void>;
}

/** Makes an empty database: a file in the folder, or a new one on the PostgreSQL server. */
export async function createTestDatabase(engine: Engine, folder: string): Promise<TestDatabase> {
  if (engine === 'SQLite')
    return { url: `sqlite:${path.join(folder, 'registry.db')}`, remove: () => Promise.resolve() };
  if (POSTGRES === undefined) throw new Error('PORTOLAN_TEST_POSTGRES_URL names no server');
  const name = `portolan_test_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${name}`);
  const url = new URL(POSTGRES);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => administer(`drop database ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
