import type { EntryType } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { UNLABELLED } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';
import { maySee } from '../actor-decisions.ts';
import type { EntryKey } from '../page-key.ts';
import type { Actor } from '../registry-admin.ts';

export interface ListedEntry {
  readonly id: number;
  readonly type: EntryType;
  readonly name: string;
}

export interface WalkPosition {
  readonly key: EntryKey;
  /** Whether the page starts with the entry of the key itself rather than after it. */
  readonly inclusive: boolean;
}

/**
 * Returns entries of one source, by type and name, with one index scan. A caller who may see a source sees
 * its entries regardless of their claims; entries without claims need a caller who may see unlabelled ones.
 */
export async function selectListedEntries(
  db: Kysely<Database>,
  actor: Actor,
  sourceId: number,
  from: WalkPosition | undefined,
  limit: number,
): Promise<readonly ListedEntry[]> {
  const seesUnlabelled = maySee(actor, { claims: {} });
  return db
    .selectFrom('entry')
    .select(['id', 'type', 'name'])
    .where('source_id', '=', sourceId)
    .$if(!seesUnlabelled, (query) => query.where('claim_set_id', '<>', UNLABELLED))
    .$if(from !== undefined, (query) => query.where(from === undefined ? sql.lit(true) : isFrom(from)))
    .orderBy('type')
    .orderBy('name')
    .limit(limit)
    .execute();
}

function isFrom({ key, inclusive }: WalkPosition) {
  const comparison = inclusive ? sql.raw('>=') : sql.raw('>');
  return sql<boolean>`(${sql.ref('type')}, ${sql.ref('name')}) ${comparison} (${key.type}, ${key.name})`;
}
