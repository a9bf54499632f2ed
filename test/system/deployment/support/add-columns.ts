import pg from 'pg';
import type { TestDatabase } from '../../../support/test-database.ts';

/**
 * Adds a column to every table of a PostgreSQL server, as a later version may. A second call removes them.
 */
export async function addColumns({ url }: TestDatabase): Promise<() => Promise<void>> {
  const change = async (what: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ tablename: string }>(
        "select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
      );
      for (const { tablename } of rows) await client.query(`alter table ${tablename} ${what}`);
    } finally {
      await client.end();
    }
  };
  await change('add column of_later text');
  return () => change('drop column of_later');
}
