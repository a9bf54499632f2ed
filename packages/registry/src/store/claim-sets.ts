import type { ResourceClaims } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import type { Database } from './database-schema.ts';

/** Id of the empty claims object, which the first migration creates. */
export const UNLABELLED = 1;

/**
 * Serializes claims so that equal claims have equal texts: sorted keys, sorted lists without duplicates, and
 * a list with one item as a string.
 */
export function canonicalClaims(claims: ResourceClaims): string {
  const sorted = Object.entries(claims)
    .map(([name, value]): [string, unknown] => {
      if (typeof value === 'string') return [name, value];
      const values = [...new Set(value)].toSorted();
      return [name, values.length === 1 ? values[0] : values];
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted));
}

export function claimSetId(db: Kysely<Database>, claims: ResourceClaims): Promise<number> {
  return claimSetIdOf(db, canonicalClaims(claims));
}

/** Works like `claimSetId` for text that `canonicalClaims` wrote. */
export async function claimSetIdOf(db: Kysely<Database>, canonical: string): Promise<number> {
  const find = () =>
    db.selectFrom('claim_set').select('id').where('canonical', '=', canonical).executeTakeFirst();
  const match = await find();
  if (match !== undefined) return match.id;
  const made = await db
    .insertInto('claim_set')
    .values({ canonical })
    .onConflict((conflict) => conflict.column('canonical').doNothing())
    .returning('id')
    .executeTakeFirst();
  const { id } = made ?? (await find()) ?? {};
  // Using another claims object as a fallback could make a restricted resource public.
  if (id === undefined) throw new Error(`the claims ${canonical} could not be stored`);
  return id;
}

export function parseClaims(canonical: string): ResourceClaims {
  // SAFETY: only `canonicalClaims` writes it, from claims.
  return JSON.parse(canonical) as ResourceClaims;
}
