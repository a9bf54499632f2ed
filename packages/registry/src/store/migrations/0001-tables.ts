import { randomUUID } from 'node:crypto';
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { EngineName } from '../engine.ts';

export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  // Byte order on both engines, regardless of the database's locale.
  const text = engine === 'postgres' ? sql`text collate "C"` : ('text' as const);
  const id = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    engine === 'postgres' ? column.generatedByDefaultAsIdentity().primaryKey() : column.primaryKey();
  const key = engine === 'postgres' ? ('bigint' as const) : ('integer' as const);

  await db.schema
    .createTable('change')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('epoch', key, (column) => column.notNull())
    .addColumn('instance', 'text', (column) => column.notNull())
    .execute();
  await sql`insert into change (id, epoch, instance) values (1, 1, ${randomUUID()})`.execute(db);

  await db.schema
    .createTable('claim_set')
    .addColumn('id', key, id)
    .addColumn('canonical', text, (column) => column.notNull().unique())
    .execute();
  await sql`insert into claim_set (canonical) values ('{}')`.execute(db);

  await db.schema
    .createTable('source')
    .addColumn('id', key, id)
    .addColumn('name', text, (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('creation_type', 'text', (column) => column.notNull())
    .addColumn('block', 'text', (column) => column.notNull())
    .addColumn('filter', 'text')
    .addColumn('interval_ms', key)
    .addColumn('claims_from', 'text', (column) => column.notNull())
    .addColumn('claim_set_id', key, (column) => column.notNull().references('claim_set.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('registry')
    .addColumn('id', key, id)
    .addColumn('name', text, (column) => column.notNull().unique())
    .addColumn('creation_type', 'text', (column) => column.notNull())
    .addColumn('claim_set_id', key, (column) => column.notNull().references('claim_set.id'))
    .addColumn('epoch', key, (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('registry_source')
    .addColumn('registry_id', key, (column) => column.notNull().references('registry.id').onDelete('cascade'))
    .addColumn('source_id', key, (column) => column.notNull().references('source.id').onDelete('restrict'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('registry_source_key', ['registry_id', 'source_id'])
    .execute();
  await db.schema
    .createIndex('registry_source_by_source')
    .on('registry_source')
    .column('source_id')
    .execute();

  await db.schema
    .createTable('entry')
    .addColumn('id', key, id)
    .addColumn('source_id', key, (column) => column.notNull().references('source.id').onDelete('cascade'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('claim_set_id', key, (column) => column.notNull().references('claim_set.id'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('entry_key', ['source_id', 'type', 'name'])
    .execute();

  await db.schema
    .createTable('entry_version')
    .addColumn('id', key, id)
    .addColumn('entry_id', key, (column) => column.notNull().references('entry.id').onDelete('cascade'))
    .addColumn('source_id', key, (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('version', text, (column) => column.notNull())
    .addColumn('claim_set_id', key, (column) => column.notNull())
    .addColumn('is_latest', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('status_message', 'text')
    .addColumn('status_changed_at', 'text', (column) => column.notNull())
    .addColumn('published_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .addColumn('order_key', text, (column) => column.notNull())
    .addColumn('search_text', text, (column) => column.notNull())
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('document', 'text', (column) => column.notNull())
    .addUniqueConstraint('entry_version_key', ['source_id', 'type', 'name', 'version'])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on('entry_version');
  await index('entry_version_by_entry').column('entry_id').execute();
  await index('entry_version_by_version').columns(['source_id', 'type', 'version', 'name']).execute();
  await index('entry_version_by_change').columns(['source_id', 'type', 'updated_at']).execute();
  await index('entry_version_by_claims').columns(['claim_set_id', 'source_id', 'type', 'name']).execute();
  await index('entry_version_latest')
    .columns(['source_id', 'type', 'name'])
    .where(sql.ref('is_latest'), '=', sql.lit(1))
    .execute();

  await db.schema
    .createTable('sync_status')
    .addColumn('source_id', key, (column) => column.primaryKey().references('source.id').onDelete('cascade'))
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('attempt_count', 'integer', (column) => column.notNull())
    .addColumn('last_attempt', 'text')
    .addColumn('last_sync_time', 'text')
    .addColumn('last_good_time', 'text')
    .addColumn('fingerprint', 'text')
    .addColumn('server_count', 'integer', (column) => column.notNull())
    .addColumn('skill_count', 'integer', (column) => column.notNull())
    .addColumn('plugin_count', 'integer', (column) => column.notNull())
    .addColumn('version_count', 'integer', (column) => column.notNull())
    .addColumn('skipped_count', 'integer', (column) => column.notNull())
    .addColumn('skipped', 'text', (column) => column.notNull())
    .addColumn('warning_count', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until_ms', key)
    .addColumn('due_at_ms', key, (column) => column.notNull())
    .execute();

  await createSearchIndex(db, engine);
}

/**
 * Creates a table with triggers on SQLite. `case_sensitive` compares characters, since the text is in lower
 * case.
 */
async function createSearchIndex(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') {
    await sql`create extension if not exists pg_trgm`.execute(db);
    await sql`create index entry_version_search on entry_version using gin (search_text gin_trgm_ops)`.execute(
      db,
    );
    return;
  }
  await sql`create virtual table entry_search using fts5(search_text, content = 'entry_version', content_rowid = 'id', columnsize = 0, tokenize = 'trigram case_sensitive 1')`.execute(
    db,
  );
  await sql`create trigger entry_search_insert after insert on entry_version begin
    insert into entry_search (rowid, search_text) values (new.id, new.search_text);
  end`.execute(db);
  await sql`create trigger entry_search_delete after delete on entry_version begin
    insert into entry_search (entry_search, rowid, search_text) values ('delete', old.id, old.search_text);
  end`.execute(db);
  await sql`create trigger entry_search_update after update of search_text on entry_version when old.search_text <> new.search_text begin
    insert into entry_search (entry_search, rowid, search_text) values ('delete', old.id, old.search_text);
    insert into entry_search (rowid, search_text) values (new.id, new.search_text);
  end`.execute(db);
}

/** Removes data too. The extension stays, because other programs may use it. */
export async function down(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  if (engine === 'sqlite') await sql`drop table entry_search`.execute(db);
  for (const table of [
    'sync_status',
    'entry_version',
    'entry',
    'registry_source',
    'registry',
    'source',
    'claim_set',
    'change',
  ]) {
    await db.schema.dropTable(table).execute();
  }
}
