import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/**
 * Returns a fingerprint of all versions in a database, which changes with every row write, even without a new
 * value.
 */
export async function markOfRows(databaseUrl: string): Promise<string> {
  const hash = createHash('sha256');
  for (const row of await readRows(databaseUrl)) hash.update(JSON.stringify(row));
  return hash.digest('hex');
}

/** Returns the size of a database on disk in MB, including indexes. */
export async function sizeOfDatabase(databaseUrl: string): Promise<number> {
  const bytes = isFile(databaseUrl)
    ? (await stat(fileOf(databaseUrl))).size
    : Number((await ask<{ size: string }>(databaseUrl, SIZE))[0]?.size);
  return bytes / 2 ** 20;
}

const SIZE = 'select pg_database_size(current_database()) as size';
const ROWS = 'select id, ctid::text, xmin::text from entry_version order by id';

function isFile(databaseUrl: string): boolean {
  return databaseUrl.startsWith('sqlite:');
}

function fileOf(databaseUrl: string): string {
  return databaseUrl.slice('sqlite:'.length);
}

async function readRows(databaseUrl: string): Promise<readonly object[]> {
  if (!isFile(databaseUrl)) return await ask<object>(databaseUrl, ROWS);
  const database = new DatabaseSync(fileOf(databaseUrl), { readOnly: true });
  try {
    return database.prepare('select id, updated_at, content_hash from entry_version order by id').all();
  } finally {
    database.close();
  }
}

async function ask<Row extends object>(databaseUrl: string, statement: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
