import type { Kysely } from 'kysely';
import {
  noManagedSource,
  sourceAmbiguous,
  sourceForbidden,
  sourceNotManaged,
  sourceUnknown,
} from './admin-errors.ts';
import { parseClaims } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { maySee } from './actor-decisions.ts';
import type { Actor } from './registry-admin.ts';
import { findSource } from './stored-source.ts';

export interface ManagedSource {
  readonly id: number;
  readonly name: string;
}

/**
 * Returns the managed source for a publish request. Throws ERR_SOURCE_UNKNOWN, ERR_SOURCE_NOT_MANAGED,
 * ERR_SOURCE_FORBIDDEN, ERR_SOURCE_AMBIGUOUS (which names only visible sources) or ERR_NO_MANAGED_SOURCE.
 */
export async function chooseManagedSource(
  db: Kysely<Database>,
  actor: Actor,
  named: string | undefined,
): Promise<ManagedSource> {
  return named === undefined ? chooseOnly(db, actor) : chooseNamed(db, actor, named);
}

async function chooseNamed(db: Kysely<Database>, actor: Actor, name: string): Promise<ManagedSource> {
  const source = await findSource(db, name);
  if (source === undefined) throw sourceUnknown([name]);
  // This check comes first, so that no later error reveals facts about a hidden source.
  if (!maySee(actor, source)) throw sourceForbidden([name]);
  if (source.claimsFrom !== 'publisher') throw sourceNotManaged(name);
  return source;
}

async function chooseOnly(db: Kysely<Database>, actor: Actor): Promise<ManagedSource> {
  const sources = await db
    .selectFrom('source')
    .innerJoin('claim_set', 'claim_set.id', 'source.claim_set_id')
    .select(['source.id', 'source.name', 'claim_set.canonical'])
    .where('source.claims_from', '=', 'publisher')
    .orderBy('source.name')
    .execute();
  const seen = sources.filter(({ canonical }) => maySee(actor, { claims: parseClaims(canonical) }));
  const [first, ...others] = seen;
  if (others.length > 0) throw sourceAmbiguous(seen.map(({ name }) => name));
  if (first !== undefined) return first;
  throw sources.length === 0 ? noManagedSource() : sourceForbidden([]);
}
