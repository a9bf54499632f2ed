import type { EntryType } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { canonicalClaims, claimSetIdOf } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import { NameInOtherCase } from '../name-in-other-case.ts';
import type { WriteTarget } from './write-target.ts';

export interface KnownEntry {
  readonly id: number;
  readonly claim_set_id: number;
}

/** Key of an entry (see `keyOf`) with the id of its claims object. */
interface Labelled {
  readonly key: string;
  readonly version: PreparedVersion;
  readonly claimSet: number;
}

/** Creates entries and updates their claims. */
export class SourceEntries {
  relabelled = false;
  made = 0;
  readonly #db: Kysely<Database>;
  readonly #target: WriteTarget;
  readonly #read: 'in full' | 'changes';

  constructor(db: Kysely<Database>, target: WriteTarget, read: 'in full' | 'changes') {
    this.#db = db;
    this.#target = target;
    this.#read = read;
  }

  /** Returns the entry of each name in the batch, by `keyOf`. For changes, throws NameInOtherCase. */
  async of(batch: readonly PreparedVersion[]): Promise<Map<string, KnownEntry>> {
    const preparedVersions = new Map(batch.map((version) => [keyOf(version), version]));
    const matches = await entriesOf(this.#db, this.#target.sourceId, [...preparedVersions.values()]);
    const entries = new Map(matches.map((row): [string, KnownEntry] => [keyOf(row), row]));
    const labelled = await this.#labelled(preparedVersions);
    const missing = labelled.filter(({ key }) => !entries.has(key));
    if (this.#read === 'changes' && missing.length > 0)
      await this.#refuseOtherCases(missing.map(({ version }) => version));
    for (const row of await this.#makeEntries(missing)) entries.set(keyOf(row), row);
    await this.#relabel(labelled, entries);
    return entries;
  }

  async #labelled(targets: ReadonlyMap<string, PreparedVersion>): Promise<readonly Labelled[]> {
    const requests = new Map<string, number>();
    const labelled: Labelled[] = [];
    for (const [key, version] of targets) {
      const claimSet = this.#target.claimSetId ?? (await this.#classOf(version, requests));
      labelled.push({ key, version, claimSet });
    }
    return labelled;
  }

  /** Returns the id of a claims object. Looks up each object once, because a batch usually has few. */
  async #classOf({ claims = {} }: PreparedVersion, requested: Map<string, number>): Promise<number> {
    const canonical = canonicalClaims(claims);
    const claimSet = requested.get(canonical) ?? (await claimSetIdOf(this.#db, canonical));
    requested.set(canonical, claimSet);
    return claimSet;
  }

  /**
   * Throws NameInOtherCase when the source has an entry whose name differs only in letter case. A full read
   * then removes the other name, or contains it too.
   */
  async #refuseOtherCases(versions: readonly PreparedVersion[]): Promise<void> {
    // Names are ASCII, where engines and JavaScript agree on lower case.
    const other = await this.#db
      .selectFrom('entry')
      .select('name')
      .where('source_id', '=', this.#target.sourceId)
      .where('type', 'in', [...new Set(versions.map(({ type }) => type))])
      .where(sql`lower(name)`, 'in', [...new Set(versions.map(({ name }) => name.toLowerCase()))])
      .limit(1)
      .executeTakeFirst();
    if (other !== undefined) throw new NameInOtherCase(other.name);
  }

  async #makeEntries(labelled: readonly Labelled[]) {
    if (labelled.length === 0) return [];
    this.made += labelled.length;
    const { sourceId, now } = this.#target;
    const values = labelled.map(({ version, claimSet }) => ({
      source_id: sourceId,
      type: version.type,
      name: version.name,
      claim_set_id: claimSet,
      created_at: now,
      updated_at: now,
    }));
    return this.#db
      .insertInto('entry')
      .values(values)
      .returning(['id', 'type', 'name', 'claim_set_id'])
      .execute();
  }

  /**
   * Updates the claims with one statement for each distinct claims object, because a change usually gives
   * many entries the same claims.
   */
  async #relabel(labelled: readonly Labelled[], entries: ReadonlyMap<string, KnownEntry>): Promise<void> {
    const changed = labelled.flatMap(({ key, claimSet }) => {
      const entry = entries.get(key);
      return entry === undefined || entry.claim_set_id === claimSet ? [] : [{ id: entry.id, claimSet }];
    });
    for (const [claimSet, some] of Map.groupBy(changed, (one) => one.claimSet)) {
      const ids = some.map(({ id }) => id);
      this.relabelled = true;
      const labels = { claim_set_id: claimSet, updated_at: this.#target.now };
      await this.#db.updateTable('entry').set(labels).where('id', 'in', ids).execute();
      await this.#db.updateTable('entry_version').set(labels).where('entry_id', 'in', ids).execute();
    }
  }

  async classesOf(entryIds: readonly number[]): Promise<Map<number, number>> {
    const matches = await this.#db
      .selectFrom('entry')
      .select(['id', 'claim_set_id'])
      .where('id', 'in', entryIds)
      .execute();
    return new Map(matches.map((row) => [row.id, row.claim_set_id]));
  }
}

type NamedEntry = Pick<PreparedVersion, 'type' | 'name'>;

/**
 * Looks up entries one by one. Without statistics about a new source, PostgreSQL would scan all rows to find
 * a hundred names.
 */
export async function entriesOf(
  db: Kysely<Database>,
  sourceId: number,
  namedEntries: readonly NamedEntry[],
): Promise<readonly (NamedEntry & KnownEntry)[]> {
  if (namedEntries.length === 0) return [];
  const keys = namedEntries.map(({ type, name }) => sql`(${type}, ${name})`);
  const one = (column: 'id' | 'claim_set_id') => sql`(
    select ${sql.ref(column)} from entry
    where source_id = ${sourceId} and type = wanted.column1 and name = wanted.column2)`;
  const { rows } = await sql<NamedEntry & { readonly [Column in keyof KnownEntry]: number | null }>`
    select wanted.column1 as type, wanted.column2 as name, ${one('id')} as id, ${one('claim_set_id')} as claim_set_id
    from (values ${sql.join(keys)}) as wanted`.execute(db);
  return rows.flatMap(({ type, name, id, claim_set_id }) =>
    id === null || claim_set_id === null ? [] : [{ type, name, id, claim_set_id }],
  );
}

/** Returns the key of an entry within its source. */
export function keyOf(entry: { readonly type: EntryType; readonly name: string }): string {
  return `${entry.type} ${entry.name}`;
}
