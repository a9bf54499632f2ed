import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import type { VersionRow } from './version-row.ts';

export type StoredVersion = Pick<VersionRow, 'entry_id' | 'version'> & { readonly id: number };

/**
 * Inserts or updates versions in batches, because building a statement for hundreds of rows blocks the thread
 * for milliseconds. All full batches of a sync use the same statement text.
 */
export class VersionUpsert {
  readonly #db: Kysely<Database>;
  readonly #rows: number;
  #text: { readonly sql: string; readonly columns: readonly (keyof VersionRow)[] } | undefined;

  /** `db` is the sync's transaction. */
  constructor(db: Kysely<Database>, rows: number) {
    this.#db = db;
    this.#rows = rows;
  }

  async store(rows: readonly VersionRow[]): Promise<readonly StoredVersion[]> {
    const stored: StoredVersion[] = [];
    for (let at = 0; at < rows.length; at += this.#rows) {
      const some = rows.slice(at, at + this.#rows);
      const written =
        some.length === this.#rows ? await this.#storeAtOnce(some) : await this.#statementFor(some).execute();
      stored.push(...written);
    }
    return stored;
  }

  async #storeAtOnce(rows: readonly VersionRow[]): Promise<readonly StoredVersion[]> {
    this.#text ??= this.#textFor(rows);
    const { sql, columns } = this.#text;
    const values = rows.flatMap((row) => columns.map((column) => row[column]));
    const { rows: written } = await this.#db.executeQuery(CompiledQuery.raw(sql, values));
    // SAFETY: the statement of `#statementFor` returns these columns.
    return written as readonly StoredVersion[];
  }

  #textFor(rows: readonly VersionRow[]) {
    const { sql } = this.#statementFor(rows).compile();
    // The order of the values equals that of the first row's keys.
    return { sql, columns: Object.keys(rows[0] ?? {}) as (keyof VersionRow)[] }; // it has no other keys
  }

  #statementFor(rows: readonly VersionRow[]) {
    return this.#db
      .insertInto('entry_version')
      .values([...rows])
      .onConflict((conflict) =>
        conflict.columns(['source_id', 'type', 'name', 'version']).doUpdateSet((eb) => ({
          claim_set_id: eb.ref('excluded.claim_set_id'),
          is_latest: eb.ref('excluded.is_latest'),
          status: eb.ref('excluded.status'),
          status_message: eb.ref('excluded.status_message'),
          status_changed_at: eb.ref('excluded.status_changed_at'),
          published_at: eb.ref('excluded.published_at'),
          updated_at: eb.ref('excluded.updated_at'),
          carried_updated_at: eb.ref('excluded.carried_updated_at'),
          flagged_latest: eb.ref('excluded.flagged_latest'),
          origin: eb.ref('excluded.origin'),
          order_key: eb.ref('excluded.order_key'),
          search_text: eb.ref('excluded.search_text'),
          content_hash: eb.ref('excluded.content_hash'),
          document: eb.ref('excluded.document'),
          scope: eb.ref('excluded.scope'),
          warning_count: eb.ref('excluded.warning_count'),
        })),
      )
      .returning(['id', 'entry_id', 'version']);
  }
}
