import type { Kysely } from 'kysely';
import type { VersionRow } from '../../read/registry-reader.ts';
import { parseClaims } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';
import { highestVersion } from '../../store/latest-version.ts';
import { pathOf } from '../../store/origin-path.ts';

/** Maximum number of parameters in one statement, within the limits of both engines. */
const CHUNK = 500;

/** Returns the stored versions of an entry, highest first. */
export async function selectVersionRows(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<readonly VersionRow[]> {
  const versionRows: { readonly orderKey: string; readonly row: VersionRow }[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows = await versionQuery(db)
      .where('v.id', 'in', ids.slice(at, at + CHUNK))
      .execute();
    for (const stored of rows) versionRows.push({ orderKey: stored.order_key, row: toVersionRow(stored) });
  }
  return versionRows.toSorted((a, b) => (a.orderKey < b.orderKey ? 1 : -1)).map(({ row }) => row);
}

export async function moveLatest(
  db: Kysely<Database>,
  versions: readonly {
    readonly id: number;
    readonly status: VersionRow['status'];
    readonly order_key: string;
    readonly is_latest: 0 | 1;
  }[],
): Promise<void> {
  const latest = highestVersion(versions);
  const flag = (id: number, is_latest: 0 | 1) =>
    db.updateTable('entry_version').set({ is_latest }).where('id', '=', id).execute();
  for (const { id, is_latest } of versions) {
    if (is_latest === 1 && id !== latest?.id) await flag(id, 0);
    if (is_latest === 0 && id === latest?.id) await flag(id, 1);
  }
}

function versionQuery(db: Kysely<Database>) {
  return db
    .selectFrom('entry_version as v')
    .innerJoin('source', 'source.id', 'v.source_id')
    .innerJoin('claim_set', 'claim_set.id', 'v.claim_set_id')
    .innerJoin('change', (join) => join.on('change.id', '=', 1))
    .select([
      'v.type',
      'v.name',
      'v.version',
      'v.status',
      'v.status_message',
      'v.status_changed_at',
      'v.published_at',
      'v.updated_at',
      'v.carried_updated_at',
      'v.origin',
      'v.is_latest',
      'v.order_key',
      'v.document',
      'source.name as source',
      'claim_set.canonical',
      'change.instance',
    ]);
}

function toVersionRow(
  stored: Awaited<ReturnType<ReturnType<typeof versionQuery>['execute']>>[number],
): VersionRow {
  return {
    type: stored.type,
    name: stored.name,
    version: stored.version,
    source: stored.source,
    claims: parseClaims(stored.canonical),
    status: stored.status,
    statusMessage: stored.status_message ?? undefined,
    statusChangedAt: stored.status_changed_at,
    publishedAt: stored.published_at,
    updatedAt: stored.carried_updated_at ?? stored.updated_at,
    path: pathOf(stored.origin, stored.instance),
    isLatest: stored.is_latest === 1,
    document: stored.document,
  };
}
