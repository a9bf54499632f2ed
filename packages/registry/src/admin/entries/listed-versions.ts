import type { Entry, EntryStatus, EntryType, JsonObject, ResourceClaims } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import type { EntryFilter } from '../../read/registry-reader.ts';
import { parseClaims } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';

/** Number of rows that are read and filtered at once, which bounds memory for pages of any size. */
export const STEP = 100;

/** Number of documents that are read at once. */
const PAGE = 500;

export interface ListedVersion {
  readonly id: number;
  readonly entryId: number;
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly orderKey: string;
  readonly source: string;
  readonly claims: ResourceClaims;
  readonly status: EntryStatus;
  readonly title: string | undefined;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Parsed entry. Present only when a filter needs the document. */
  readonly entry: Entry | undefined;
}

/** Returns the versions of some entries, unordered. Reads their documents only when `withEntries` is set. */
export async function selectListedVersions(
  db: Kysely<Database>,
  ids: readonly number[],
  withEntries: boolean,
): Promise<readonly ListedVersion[]> {
  const listedVersions: ListedVersion[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const rows = await versionQuery(db)
      .where('v.id', 'in', ids.slice(at, at + PAGE))
      .execute();
    for (const row of rows) listedVersions.push(toListedVersion(row, withEntries));
  }
  return listedVersions;
}

export async function keepFiltered(
  versions: readonly ListedVersion[],
  filter: EntryFilter | undefined,
): Promise<readonly ListedVersion[]> {
  if (filter === undefined || versions.length === 0) return versions;
  const entries = versions.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  const remaining = new Set(await filter(entries));
  return versions.filter(({ entry }) => entry !== undefined && remaining.has(entry));
}

function versionQuery(db: Kysely<Database>) {
  return db
    .selectFrom('entry_version as v')
    .innerJoin('source', 'source.id', 'v.source_id')
    .innerJoin('claim_set', 'claim_set.id', 'v.claim_set_id')
    .select([
      'v.id',
      'v.entry_id',
      'v.type',
      'v.name',
      'v.version',
      'v.order_key',
      'v.status',
      'v.is_latest',
      'v.published_at',
      'v.updated_at',
      'v.carried_updated_at',
      'v.document',
      'source.name as source',
      'claim_set.canonical',
    ]);
}

function toListedVersion(
  row: Awaited<ReturnType<ReturnType<typeof versionQuery>['execute']>>[number],
  withEntry: boolean,
): ListedVersion {
  // SAFETY: the store contains only JSON objects.
  const document = JSON.parse(row.document) as JsonObject;
  const { type, name, version, source, status } = row;
  const claims = parseClaims(row.canonical);
  const title = document['title'];
  const description = document['description'];
  return {
    id: row.id,
    entryId: row.entry_id,
    type,
    name,
    version,
    orderKey: row.order_key,
    source,
    claims,
    status,
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : '',
    createdAt: row.published_at,
    updatedAt: row.carried_updated_at ?? row.updated_at,
    entry: withEntry
      ? { type, name, version, source, claims, status, isLatest: row.is_latest === 1, document }
      : undefined,
  };
}
