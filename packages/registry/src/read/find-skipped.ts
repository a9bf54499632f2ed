import type { EntryType } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { parseClaims } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { parseSkipped, type SkippedVersion } from '../store/sync-status.ts';
import type { SkippedFrom } from './registry-reader.ts';

/** A skipped version as a sync stores it: with the entry, where the sync knows it. */
interface StoredSkip extends SkippedVersion {
  readonly entry?: Name | undefined;
  readonly address?: Name | undefined;
}

interface Name {
  readonly type: EntryType;
  readonly name: string;
}

/** Maximum number of reasons for one name in one source. */
const MAX_REASONS = 10;

/** Returns the versions of an entry that sources skipped in their last sync, by the name of the source. */
export async function findSkipped(
  db: Kysely<Database>,
  type: EntryType,
  name: string,
): Promise<readonly SkippedFrom[]> {
  const rows = await db
    .selectFrom('sync_status as status')
    .innerJoin('source', 'source.id', 'status.source_id')
    .innerJoin('claim_set', 'claim_set.id', 'source.claim_set_id')
    .select(['source.name', 'claim_set.canonical', 'status.skipped'])
    .where('status.skipped_count', '>', 0)
    .orderBy('source.name')
    .execute();
  return rows.flatMap(({ name: source, canonical, skipped: list }) =>
    parseSkipped(list)
      .filter((skip: StoredSkip) => isAbout(skip, type, name))
      .slice(0, MAX_REASONS)
      .map(({ skipped, because }) => ({ source, claims: parseClaims(canonical), skipped, because })),
  );
}

/** Returns whether a skipped version is of this entry. A skip that names no entry has the name in its label at most. */
function isAbout({ entry, address, skipped }: StoredSkip, type: EntryType, name: string): boolean {
  const known = entry ?? address;
  if (known !== undefined) return known.type === type && known.name === name;
  return skipped === name || skipped.startsWith(`${name}@`) || skipped.endsWith(` (${name.slice(0, 200)})`);
}
