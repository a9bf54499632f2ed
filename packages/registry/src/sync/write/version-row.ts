import { versionOrderKey } from '@portolan/entry-format';
import type { EntryVersionTable } from '../../store/database-schema.ts';
import { highestVersion } from '../../store/latest-version.ts';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import type { WriteTarget } from './write-target.ts';

/** Columns of a stored version that a sync compares. */
export type KnownVersion = Pick<
  EntryVersionTable,
  | 'version'
  | 'content_hash'
  | 'order_key'
  | 'is_latest'
  | 'status'
  | 'status_changed_at'
  | 'published_at'
  | 'scope'
  | 'warning_count'
  | 'flagged_latest'
> & { readonly id: number; readonly entry_id: number };

/** Stored versions by entry, then by version. */
export type KnownVersions = ReadonlyMap<number, ReadonlyMap<string, KnownVersion>>;

/** Row of a version. Its claims object and its latest flag are set later. */
export type VersionRow = { -readonly [K in keyof Omit<EntryVersionTable, 'id'>]: EntryVersionTable[K] };

/** Creates the row of a version. A changed version keeps its publication time. */
export function versionRow(
  version: PreparedVersion,
  entryId: number,
  before: KnownVersion | undefined,
  { sourceId, now }: WriteTarget,
): VersionRow {
  const { carried } = version;
  const publishedAt = carried?.publishedAt ?? before?.published_at ?? now;
  const statusSince = before?.status === version.status ? before.status_changed_at : now;
  return {
    entry_id: entryId,
    source_id: sourceId,
    type: version.type,
    name: version.name,
    version: version.version,
    claim_set_id: 0,
    is_latest: 0,
    status: version.status,
    status_message: carried?.statusMessage ?? null,
    status_changed_at: carried?.statusChangedAt ?? statusSince,
    published_at: publishedAt,
    updated_at: now,
    carried_updated_at: carried?.updatedAt ?? null,
    flagged_latest: flagOf(version),
    origin: version.origin ?? null,
    order_key: versionOrderKey(version.version, publishedAt, version.document),
    search_text: version.searchText,
    content_hash: version.contentHash,
    document: version.document,
    scope: version.scope ?? null,
    warning_count: version.warnings,
  };
}

/** Returns whether another registry reports a version as the latest; null when none does. */
export function flagOf({ carried }: PreparedVersion): 0 | 1 | null {
  return carried?.isLatest === undefined ? null : carried.isLatest ? 1 : 0;
}

export interface MovedLatest {
  readonly demoted: readonly number[];
  readonly promoted: readonly number[];
}

/** Returns the other versions whose latest flag changes, also in entries without a row to write. */
export function moveLatest(
  rows: readonly VersionRow[],
  known: KnownVersions,
  others: Iterable<number> = [],
): MovedLatest {
  const byEntry = Map.groupBy(rows, (row) => row.entry_id);
  for (const entryId of others) if (!byEntry.has(entryId)) byEntry.set(entryId, []);
  const demoted: number[] = [];
  const promoted: number[] = [];
  for (const [entryId, written] of byEntry) {
    const replaced = new Set(written.map((row) => row.version));
    const versions = [...(known.get(entryId)?.values() ?? [])].filter((row) => !replaced.has(row.version));
    const latest = highestVersion<VersionRow | KnownVersion>([...written, ...versions]);
    for (const row of written) row.is_latest = row === latest ? 1 : 0;
    for (const row of versions) {
      if (row.is_latest === 1 && row !== latest) demoted.push(row.id);
      if (row.is_latest === 0 && row === latest) promoted.push(row.id);
    }
  }
  return { demoted, promoted };
}
