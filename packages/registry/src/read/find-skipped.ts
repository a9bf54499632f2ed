import { createEntryFilter } from '@portolan/entry-format';
import type { FilterConfig } from '@portolan/kernel';
import type { EntryType } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { parseClaims } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { parseSkipped, type SkippedVersion } from '../store/sync-status.ts';
import type { SkippedFrom } from './registry-reader.ts';

/** A skipped version as a sync stores it, with its entry if the sync could determine it. */
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

export async function findSkipped(
  db: Kysely<Database>,
  type: EntryType,
  name: string,
): Promise<readonly SkippedFrom[]> {
  const rows = await db
    .selectFrom('sync_status as status')
    .innerJoin('source', 'source.id', 'status.source_id')
    .innerJoin('claim_set', 'claim_set.id', 'source.claim_set_id')
    .select(['source.name', 'source.filter', 'claim_set.canonical', 'status.skipped'])
    .where((eb) => eb.or([eb('status.skipped_count', '>', 0), eb('source.filter', 'is not', null)]))
    .orderBy('source.name')
    .execute();
  return rows.flatMap(({ name: source, filter, canonical, skipped: list }) => {
    const head = { source, claims: parseClaims(canonical) };
    const skips = parseSkipped(list)
      .filter((skip: StoredSkip) => isAbout(skip, type, name))
      .slice(0, MAX_REASONS)
      .map(({ skipped, because }) => ({ ...head, skipped, because, by: 'sync' as const }));
    if (takesName(filter, type, name)) return skips;
    const because = `The filter of source "${source}" takes no entry of this name.`;
    return [...skips, { ...head, skipped: name, because, by: 'filter' as const }];
  });
}

/**
 * Returns whether the filter of a source accepts a name. Ignores tag rules, because the tags of an entry that
 * was never read are unknown.
 */
function takesName(filter: string | null, type: EntryType, name: string): boolean {
  if (filter === null) return true;
  // SAFETY: it was written from a value of this type.
  const { names } = JSON.parse(filter) as FilterConfig;
  return createEntryFilter({ names }).accepts({ type, name, tags: [] });
}

/**
 * Returns whether a skip concerns an entry. A skip that names no entry is matched by the name in its label.
 */
function isAbout({ entry, address, skipped }: StoredSkip, type: EntryType, name: string): boolean {
  const known = entry ?? address;
  if (known !== undefined) return known.type === type && known.name === name;
  return skipped === name || skipped.startsWith(`${name}@`) || skipped.endsWith(` (${name.slice(0, 200)})`);
}

/**
 * Splits skips into those of the last sync and those by the source's filter, with the fields that
 * explanations disclose.
 */
export function splitSkips(skips: readonly SkippedFrom[]) {
  return {
    skipped: skips
      .filter(({ by }) => by === 'sync')
      .map(({ source, skipped, because }) => ({ source, skipped, because })),
    filters: skips.filter(({ by }) => by === 'filter').map(({ because }) => because),
  };
}
