import type { ResourceClaims } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { entryAmbiguous, entryNotFound } from '../admin-errors.ts';
import { parseClaims } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';
import { maySee } from '../actor-decisions.ts';
import type { Actor, EntryAddress } from '../registry-admin.ts';

export interface ManagedEntry {
  readonly id: number;
  readonly sourceId: number;
  readonly source: string;
  readonly name: string;
  readonly claimSetId: number;
  readonly claims: ResourceClaims;
  readonly revision: string;
}

/**
 * Finds the entry that an address means, among the entries that the actor may see. Throws ERR_ENTRY_NOT_FOUND
 * or ERR_ENTRY_AMBIGUOUS.
 */
export async function findManagedEntry(
  db: Kysely<Database>,
  actor: Actor,
  address: EntryAddress,
  version?: string,
): Promise<ManagedEntry> {
  const candidates = await selectCandidates(db, address);
  const seen = candidates.filter((entry) => maySee(actor, entry));
  const [first, ...others] = seen;
  if (first === undefined) throw entryNotFound(address.type, address.name, version);
  if (others.length > 0) {
    const texts = seen.map(({ name, source }) => `${name} in source "${source}"`);
    throw entryAmbiguous(address.name, texts);
  }
  return first;
}

async function selectCandidates(
  db: Kysely<Database>,
  { type, name, source }: EntryAddress,
): Promise<readonly ManagedEntry[]> {
  // PostgreSQL rejects strings with U+0000.
  if (name.includes('\0') || source?.includes('\0') === true) return [];
  const isShort = type !== 'server' && !name.includes('/');
  const ending = `/${name}`;
  const rows = await db
    .selectFrom('entry')
    .innerJoin('source', 'source.id', 'entry.source_id')
    .innerJoin('claim_set', 'claim_set.id', 'entry.claim_set_id')
    .select([
      'entry.id',
      'entry.source_id',
      'entry.name',
      'entry.claim_set_id',
      'entry.revision',
      'source.name as source',
      'claim_set.canonical',
    ])
    .where('source.claims_from', '=', 'publisher')
    .where('entry.type', '=', type)
    .$if(!isShort, (query) => query.where('entry.name', '=', name))
    .$if(isShort, (query) =>
      query.where(sql<boolean>`${sql.ref('entry.name')} like ${`%${escaped(ending)}`} escape '!'`),
    )
    .$if(source !== undefined, (query) => query.where('source.name', '=', source ?? ''))
    .orderBy('entry.name')
    .orderBy('source.name')
    .execute();
  // SQLite compares patterns case-insensitively.
  const exact = isShort ? rows.filter((row) => row.name.endsWith(ending)) : rows;
  return exact.map((row) => ({
    id: row.id,
    sourceId: row.source_id,
    source: row.source,
    name: row.name,
    claimSetId: row.claim_set_id,
    claims: parseClaims(row.canonical),
    revision: row.revision,
  }));
}

function escaped(text: string): string {
  return text.replaceAll(/[!%_]/g, '!$&');
}
