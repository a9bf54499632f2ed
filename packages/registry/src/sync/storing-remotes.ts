import type { Kysely } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import { replaceRemotes } from '../store/server-remotes.ts';
import type { PreparedVersion } from '../preparation/prepared-version.ts';
import { entriesOf } from './source-entries.ts';
import type { WriteTarget } from './write-target.ts';

/**
 * Passes batches on, and, when one was written and the next one is asked for,
 * keeps the remotes of those of its versions that were written.
 */
export async function* storingRemotes(
  db: Kysely<Database>,
  target: WriteTarget,
  batches: AsyncIterable<readonly PreparedVersion[]>,
): AsyncGenerator<readonly PreparedVersion[]> {
  for await (const batch of batches) {
    yield batch;
    await storeRemotes(db, target, batch);
  }
}

/** Keeps the remotes of those of these versions that were written just now. */
export async function storeRemotes(
  db: Kysely<Database>,
  { sourceId, now }: WriteTarget,
  batch: readonly PreparedVersion[],
): Promise<void> {
  const servers = batch.filter(({ type }) => type === 'server');
  if (servers.length === 0) return;
  const names = [...new Set(servers.map(({ name }) => name))];
  const entries = await entriesOf(
    db,
    sourceId,
    names.map((name) => ({ type: 'server', name })),
  );
  if (entries.length === 0) return;
  const rows = await db
    .selectFrom('entry_version')
    .select(['id', 'name', 'version', 'content_hash', 'updated_at'])
    .where(
      'entry_id',
      'in',
      entries.map(({ id }) => id),
    )
    .execute();
  // What stands in the source a second time was left out.
  const byVersion = new Map(servers.toReversed().map((version) => [keyOf(version), version]));
  const written = rows.flatMap((row) => {
    // Not asked of the database, which would go by the time: in a first sync it is that of all rows.
    if (row.updated_at !== now) return [];
    const version = byVersion.get(keyOf(row));
    return version === undefined || version.contentHash !== row.content_hash
      ? []
      : [{ id: row.id, remotes: version.remotes ?? [] }];
  });
  await replaceRemotes(db, written);
}

function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name} ${version}`;
}
