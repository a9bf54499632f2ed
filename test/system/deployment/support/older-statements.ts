import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { TestDatabase } from '../../../support/test-database.ts';

/**
 * What servers of before ask of their database, all that differ in more than the
 * number of their values: recorded from the last ones that knew no more than these
 * layouts, while they served, published, changed claims and statuses, synced and
 * deleted; those with four and five layouts while the suites of the registry and its server ran.
 * Of five layouts these are what servers with four ask as well, and what is new about sessions.
 * A line has the numbers of the layouts, a tab, and the statement.
 *
 * The servers themselves are not started by the tests: they need their libraries as
 * they were, which are not at hand without a network, and their sources, which a
 * checkout without history does not have.
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

/** Those of the statements that a database with its tables as they are now does not take, with what it says. */
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
