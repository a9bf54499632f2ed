import type { FilterConfig } from '@portolan/kernel';
import type { JsonObject } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { parseClaims } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { SOURCE_COLUMNS, type SourceRow } from '../store/source-rows.ts';
import { STATUS_COLUMNS, toSyncStatus } from '../store/sync-status.ts';
import type { StoredSource } from './admin-definitions.ts';

export async function selectSources(db: Kysely<Database>): Promise<readonly StoredSource[]> {
  const rows = await sourceQuery(db).orderBy('source.name').execute();
  return rows.map((row) => toStoredSource(row));
}

export async function findSource(db: Kysely<Database>, name: string): Promise<StoredSource | undefined> {
  // PostgreSQL rejects strings with U+0000.
  if (name.includes('\0')) return undefined;
  const row = await sourceQuery(db).where('source.name', '=', name).executeTakeFirst();
  return row === undefined ? undefined : toStoredSource(row);
}

function sourceQuery(db: Kysely<Database>) {
  return db
    .selectFrom('source')
    .innerJoin('claim_set', 'claim_set.id', 'source.claim_set_id')
    .innerJoin('sync_status as status', 'status.source_id', 'source.id')
    .select([...STATUS_COLUMNS, ...SOURCE_COLUMNS, 'claim_set.canonical']);
}

function toStoredSource(
  row: SourceRow & { readonly canonical: string } & Parameters<typeof toSyncStatus>[0],
): StoredSource {
  return {
    id: row.id,
    name: row.name,
    creationType: row.creation_type,
    ...definitionOf(row),
    status: toSyncStatus(row, row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

export function definitionOf(
  row: Pick<SourceRow, 'kind' | 'claims_from' | 'block' | 'filter' | 'interval_ms' | 'allow_shrink'> & {
    readonly canonical: string;
  },
) {
  return {
    kind: row.kind,
    claimsFrom: row.claims_from,
    // SAFETY: both were serialized from values of these types.
    block: JSON.parse(row.block) as JsonObject,
    filter: row.filter === null ? undefined : (JSON.parse(row.filter) as FilterConfig),
    intervalMs: row.interval_ms ?? undefined,
    allowShrink: row.allow_shrink === 1,
    claims: parseClaims(row.canonical),
  };
}
