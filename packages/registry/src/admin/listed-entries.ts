import type { EntryType } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { UNLABELLED } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { maySee } from './actor-decisions.ts';
import type { EntryKey } from './page-key.ts';
import type { Actor } from './registry-admin.ts';

/** An entry as lists of administration walk over them. */
export interface ListedEntry {
  readonly id: number;
  readonly type: EntryType;
  readonly name: string;
}

/** Where a walk over the entries of a source goes on. */
export interface WalkPlace {
  readonly key: EntryKey;
  /** Whether the entry of the key itself comes once more. */
  readonly inclusive: boolean;
}

/**
 * Entries of one source by type and name, along one index. Who may see a source
 * sees its entries, whatever their claims; those without claims only who may see
 * what is unlabelled.
 */
export async function selectListedEntries(
  db: Kysely<Database>,
  actor: Actor,
  sourceId: number,
  from: WalkPlace | undefined,
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

function isFrom({ key, inclusive }: WalkPlace) {
  const comparison = inclusive ? sql.raw('>=') : sql.raw('>');
  return sql<boolean>`(${sql.ref('type')}, ${sql.ref('name')}) ${comparison} (${key.type}, ${key.name})`;
}
