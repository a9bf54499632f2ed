import type { EntryType } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import type { StoredRow } from './stored-row.ts';
import { bind, type BoundQuery, type Slots, StatementCache } from './statement-cache.ts';

export interface NamedEntry {
  readonly id: number;
  readonly source_id: number;
  readonly claim_set_id: number;
}

/** Entry and one of its versions. When the entry has no such version, all columns of `StoredRow` are null. */
export type EntryWithVersion = {
  readonly entry_source: number;
  readonly entry_class: number;
} & (StoredRow | { readonly [Column in keyof StoredRow]: null });

export const ROW_COLUMNS = [
  'v.source_id',
  'v.claim_set_id',
  'v.name',
  'v.version',
  'v.is_latest',
  'v.status',
  'v.status_message',
  'v.status_changed_at',
  'v.published_at',
  'v.updated_at',
  'v.carried_updated_at',
  'v.origin',
  'v.document',
] as const;

export class EntryStatements {
  readonly #db: Kysely<Database>;
  readonly #named = new StatementCache<NamedEntry>(50);
  readonly #versions = new StatementCache<StoredRow>(10);
  readonly #one = new StatementCache<EntryWithVersion>(100);

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  /** Selects the entries of one name in some sources, at most one per source. */
  named(
    sourceCount: number,
    requested: { readonly sourceIds: readonly number[]; readonly type: EntryType; readonly name: string },
  ): BoundQuery<NamedEntry> {
    const statement = this.#named.get(String(sourceCount), (slots) =>
      this.#db
        .selectFrom('entry')
        .select(['id', 'source_id', 'claim_set_id'])
        .where(
          'source_id',
          'in',
          requested.sourceIds.map((_, at) => slots.of<number>(`source${at}`)),
        )
        .where('type', '=', slots.of<EntryType>('type'))
        .where('name', '=', slots.of<string>('name'))
        .compile(),
    );
    const sources = Object.fromEntries(requested.sourceIds.map((id, at) => [`source${at}`, id]));
    return bind(statement, { type: requested.type, name: requested.name, ...sources });
  }

  /** Selects the versions of an entry, highest precedence first. */
  versions(
    entryId: number,
    target: { readonly includeDeleted: boolean; readonly version?: string; readonly limit: number },
  ): BoundQuery<StoredRow> {
    const { version, includeDeleted } = target;
    const shape = `${version === undefined || version === 'latest' ? version : 'exact'} ${includeDeleted}`;
    const statement = this.#versions.get(shape, (slots) => this.#build(version, includeDeleted, slots));
    return bind(statement, { entry: entryId, version, limit: target.limit });
  }

  /**
   * Selects an entry and one version in one statement, because this is the most frequent request. The columns
   * of the version are null when there is none.
   */
  one(
    sourceIds: readonly number[],
    requested: {
      readonly type: EntryType;
      readonly name: string;
      readonly version: string;
      readonly includeDeleted: boolean;
    },
  ): BoundQuery<EntryWithVersion> {
    const { type, name, version, includeDeleted } = requested;
    const isLatest = version === 'latest';
    const shape = `${sourceIds.length} ${isLatest} ${includeDeleted}`;
    const statement = this.#one.get(shape, (slots) =>
      this.#db
        .selectFrom('entry as e')
        .leftJoin('entry_version as v', (join) =>
          join
            .onRef('v.entry_id', '=', 'e.id')
            .$call((on) =>
              isLatest
                ? on.on('v.is_latest', '=', sql.lit(1 as const))
                : on.on('v.version', '=', slots.of<string>('version')),
            )
            .$call((on) => (includeDeleted ? on : on.on('v.status', '<>', sql.lit('deleted' as const)))),
        )
        .select(['e.source_id as entry_source', 'e.claim_set_id as entry_class'])
        .select(ROW_COLUMNS)
        .where(
          'e.source_id',
          'in',
          sourceIds.map((_, at) => slots.of<number>(`source${at}`)),
        )
        .where('e.type', '=', slots.of<EntryType>('type'))
        .where('e.name', '=', slots.of<string>('name'))
        .compile(),
    );
    const values: Record<string, string | number> = { type, name, version };
    for (const [at, id] of sourceIds.entries()) values[`source${at}`] = id;
    return bind(statement, values);
  }

  #build(version: string | undefined, includeDeleted: boolean, slots: Slots) {
    return this.#db
      .selectFrom('entry_version as v')
      .select(ROW_COLUMNS)
      .where('v.entry_id', '=', slots.of<number>('entry'))
      .$if(version === 'latest', (query) => query.where('v.is_latest', '=', sql.lit(1 as const)))
      .$if(version !== undefined && version !== 'latest', (query) =>
        query.where('v.version', '=', slots.of<string>('version')),
      )
      .$if(!includeDeleted, (query) => query.where('v.status', '<>', sql.lit('deleted' as const)))
      .orderBy('v.order_key', 'desc')
      .limit(slots.of<number>('limit'))
      .compile();
  }
}
