import type { Kysely } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import type { WriteResult } from './write-versions.ts';

/** Minimum number of entries from which a loss of more than half holds a sync. */
const MIN_ENTRIES = 10;

/** Rolls back a sync that would remove most entries. */
export class UnsafeShrink extends Error {
  constructor(lost: number, before: number, name: string) {
    super(
      `The source would lose ${lost} of ${before} entries; it keeps what it had. ` +
        `Take the removals over with \`portolan sources sync ${name} --accept-removals\`, or set \`syncPolicy.allowShrink: true\`.`,
    );
  }
}

/**
 * Throws UnsafeShrink when a source lost all entries, or more than half of at least ten. Call it after the write,
 * inside its transaction.
 */
export async function requireNoShrink(
  db: Kysely<Database>,
  source: { readonly id: number; readonly name: string },
  { made, lost }: WriteResult['entries'],
): Promise<void> {
  if (lost === 0) return;
  const { count } = await db
    .selectFrom('entry')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('source_id', '=', source.id)
    .executeTakeFirstOrThrow();
  const after = Number(count);
  const before = after + lost - made;
  const isMost = before >= MIN_ENTRIES && lost * 2 > before;
  if (before > 0 && (after === 0 || isMost)) throw new UnsafeShrink(lost, before, source.name);
}
