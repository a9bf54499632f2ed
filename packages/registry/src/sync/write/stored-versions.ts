import type { Kysely } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import type { KnownVersion } from './version-row.ts';

/** Returns the stored versions of entries, by entry and version. Omits entries without versions. */
export async function storedVersions(
  db: Kysely<Database>,
  entryIds: readonly number[],
): Promise<Map<number, Map<string, KnownVersion>>> {
  const byEntry = new Map<number, Map<string, KnownVersion>>();
  if (entryIds.length === 0) return byEntry;
  const rows = await db
    .selectFrom('entry_version')
    .select([
      'id',
      'entry_id',
      'version',
      'content_hash',
      'order_key',
      'is_latest',
      'status',
      'status_changed_at',
      'published_at',
      'scope',
      'warning_count',
      'flagged_latest',
    ])
    .where('entry_id', 'in', entryIds)
    .execute();
  for (const row of rows) {
    const versions = byEntry.get(row.entry_id) ?? new Map<string, KnownVersion>();
    versions.set(row.version, row);
    byEntry.set(row.entry_id, versions);
  }
  return byEntry;
}
