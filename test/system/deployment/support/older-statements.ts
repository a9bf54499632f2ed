import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { TestDatabase } from '../../../support/test-database.ts';

/**
 * Returns the statements that older servers send to their database, without those that differ only in the
 * number of values. They were recorded from the last servers with each of these layouts while they served,
 * published, changed claims and statuses, synced and deleted. Those with four and five layouts ran the suites
 * of the registry and its server. For five layouts the list has the statements of four, and those about
 * sessions. A line has the numbers of the layouts, a tab, and the statement.
 *
 * The tests do not start these servers: their libraries are not available without a network, and their
 * sources are missing in a checkout without history.
 */
export async function olderStatements(
  engine: 'SQLite' | 'PostgreSQL',
  layout: number,
): Promise<readonly string[]> {
  const file = `older-statements.${engine.toLowerCase()}.tsv`;
  const lines = (await readFile(new URL(file, import.meta.url), 'utf8')).trimEnd().split('\n');
  return lines.flatMap((line) => {
    const [layouts = '', statement = ''] = line.split('\t');
    return layouts.split(',').includes(String(layout)) ? [statement] : [];
  });
}

/** Returns the statements that a database with its current tables refuses, with its messages. */
export async function refusedBy(
  { url }: TestDatabase,
  statements: readonly string[],
): Promise<readonly string[]> {
  return url.startsWith('sqlite:')
    ? refusedBySqlite(url.slice('sqlite:'.length), statements)
    : await refusedByPostgres(url, statements);
}

function refusedBySqlite(file: string, statements: readonly string[]): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return statements.flatMap((statement) => {
      try {
        database.prepare(statement);
        return [];
      } catch (error) {
        return [`${String(error)}: ${statement}`];
      }
    });
  } finally {
    database.close();
  }
}

async function refusedByPostgres(url: string, statements: readonly string[]): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const refused: string[] = [];
    for (const [at, statement] of statements.entries()) {
      await client
        .query(`prepare older_${at} as ${statement}`)
        .catch((error: unknown) => refused.push(`${String(error)}: ${statement}`));
    }
    return refused;
  } finally {
    await client.end();
  }
}
