import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { EngineName } from '../engine.ts';

const COLUMNS = [
  ['source', 'revision'],
  ['source', 'reading'],
  ['registry', 'revision'],
  ['entry', 'revision'],
] as const;

const PAGE = 500;

export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const random = engine === 'postgres' ? sql`gen_random_uuid()::text` : sql`lower(hex(randomblob(16)))`;
  for (const [table, column] of COLUMNS) {
    await db.schema
      .alterTable(table)
      .addColumn(column, 'text', (added) => added.notNull().defaultTo(''))
      .execute();
    // No client changes entries of synced sources individually.
    const own =
      table === 'entry'
        ? sql`where source_id in (select id from source where claims_from = 'publisher')`
        : sql``;
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${random} ${own}`.execute(db);
  }
  const key = engine === 'postgres' ? ('bigint' as const) : ('integer' as const);
  await db.schema.alterTable('registry').addColumn('public_claim_set_id', key).execute();
  await db.schema
    .createTable('server_remote')
    .addColumn('version_id', key, (column) =>
      column.notNull().references('entry_version.id').onDelete('cascade'),
    )
    .addColumn('url_hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('server_remote_key', ['version_id', 'url_hash'])
    .execute();
  await db.schema.createIndex('server_remote_by_url').on('server_remote').column('url_hash').execute();
  await collectRemotes(db);
}

async function collectRemotes(db: Kysely<unknown>): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; document: string }>`
      select id, document from entry_version where type = 'server' and id > ${after} order by id limit ${PAGE}
    `.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    const remotes = rows.flatMap(({ id, document }) =>
      hashesOf(document).map((urlHash) => ({ id, urlHash })),
    );
    for (let at = 0; at < remotes.length; at += PAGE) {
      const values = remotes.slice(at, at + PAGE).map(({ id, urlHash }) => sql`(${id}, ${urlHash})`);
      await sql`insert into server_remote (version_id, url_hash) values ${sql.join(values)}`.execute(db);
    }
  }
}

/** Copy of the function at the time of this migration. */
function hashesOf(document: string): readonly string[] {
  const parsed: unknown = JSON.parse(document);
  const remotes: unknown = typeof parsed === 'object' && parsed !== null && Reflect.get(parsed, 'remotes');
  if (!Array.isArray(remotes)) return [];
  const urls = remotes.map((remote: unknown): unknown =>
    typeof remote === 'object' && remote !== null ? Reflect.get(remote, 'url') : undefined,
  );
  const texts = urls.filter((url) => typeof url === 'string');
  return [...new Set(texts)].map((url) => hash('sha256', url, 'base64url'));
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('server_remote').execute();
  await db.schema.alterTable('registry').dropColumn('public_claim_set_id').execute();
  for (const [table, column] of COLUMNS) await db.schema.alterTable(table).dropColumn(column).execute();
}
