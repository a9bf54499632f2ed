import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import { type EngineName, hasSearchIndex, listOfIds, searchPattern } from '../store/engine.ts';
import { type KeyQuery, KeyQueries } from './key-queries.ts';
import type { Finder, RowQuery, Strategy } from './row-query.ts';
import { bind, type BoundQuery, type Slots, StatementCache } from './statement-cache.ts';
import type { StoredRow } from './stored-row.ts';

/**
 * Maximum number of rows that `peek` reads for each hundred rows of a page before another strategy is used.
 */
export const PEEK_ROWS = 500;

/**
 * Maximum number of rows that are sorted for one page. When a filter matches more rows, a scan in order soon
 * meets enough of them.
 */
export const MAX_SORTED = 5000;

/**
 * Maximum number of sources merged in one statement. The length of the statement grows with the square of
 * this number, and engines reject statements that are too long.
 */
export const MAX_MERGED = 100;

/** Tunable limits. They affect only speed. */
export interface ListLimits {
  readonly peekRows: number;
  readonly maxSorted: number;
  /** Maximum number of sources merged in one statement, at most 200. */
  readonly maxMerged: number;
}

/**
 * Each combination of filters has its own statement: a shared one with `$n is null or …` would make
 * PostgreSQL plan for the worst combination.
 */
export class ListStatements {
  readonly #db: Kysely<Database>;
  readonly #engine: EngineName;
  readonly #limits: ListLimits;
  readonly #rows = new StatementCache<StoredRow>(500);
  readonly #counts = new StatementCache<{ readonly found: number }>(100);

  constructor(db: Kysely<Database>, engine: EngineName, limits: ListLimits) {
    this.#db = db;
    this.#engine = engine;
    this.#limits = limits;
  }

  /** Returns the indexes that could find the rows, the most selective one first. */
  findersFor(rowQuery: RowQuery): readonly Finder[] {
    const finders: Finder[] = [];
    if (rowQuery.search !== undefined && hasSearchIndex(this.#engine, rowQuery.search.toLowerCase()))
      finders.push('search');
    if (rowQuery.updatedSince !== undefined) finders.push('since');
    if (rowQuery.visible !== 'all') finders.push('classes');
    return finders;
  }

  rows(requested: RowQuery, strategy: Strategy): BoundQuery<StoredRow> {
    const statement = this.#rows.get(
      `${shapeOf(requested, strategy)} ${this.#windowOf(requested)}`,
      (slots) => this.#buildRows(requested, strategy, slots),
    );
    return bind(statement, this.#valuesOf(requested));
  }

  /** Counts the rows that an index finds. Stops above the maximum number of rows that are sorted. */
  count(rowQuery: RowQuery, finder: Finder): BoundQuery<{ readonly found: number }> {
    const statement = this.#counts.get(`${finder} ${rowQuery.sourceIds.length}`, (slots) => {
      const parts = new KeyQueries(this.#db, this.#engine, rowQuery, slots);
      const some = parts.hits(finder).limit(sql.lit(this.#limits.maxSorted + 1));
      return this.#db
        .selectFrom(some.as('some'))
        .select((eb) => eb.fn.countAll<number>().as('found'))
        .compile();
    });
    return bind(statement, this.#valuesOf(rowQuery));
  }

  #valuesOf(requested: RowQuery) {
    const needle = requested.search?.toLowerCase();
    return {
      type: requested.type,
      limit: requested.limit,
      afterName: requested.after?.name,
      afterVersion: requested.after?.version,
      needle,
      pattern: needle === undefined ? undefined : searchPattern(this.#engine, needle),
      since: requested.updatedSince === undefined ? undefined : storedTime(requested.updatedSince),
      version: requested.version,
      classes: requested.visible === 'all' ? undefined : listOfIds(this.#engine, requested.visible),
      sources: listOfIds(this.#engine, requested.sourceIds),
      ...Object.fromEntries(requested.sourceIds.map((id, at) => [`source${at}`, id])),
    };
  }

  #buildRows(rowQuery: RowQuery, strategy: Strategy, slots: Slots) {
    const keys = new KeyQueries(this.#db, this.#engine, rowQuery, slots).keys(
      strategy,
      this.#windowOf(rowQuery),
    );
    const isInOrder = strategy === 'walk' || strategy === 'peek';
    const from = isInOrder ? this.#db.selectFrom(keys.as('k')) : fromMaterialized(this.#db, keys);
    return from
      .innerJoin('entry_version as r', 'r.id', 'k.id')
      .select([
        'r.source_id',
        'r.claim_set_id',
        'r.name',
        'r.version',
        'r.is_latest',
        'r.status',
        'r.status_message',
        'r.status_changed_at',
        'r.published_at',
        'r.updated_at',
        'r.carried_updated_at',
        'r.origin',
        'r.document',
      ])
      .orderBy('k.name')
      .orderBy('k.version')
      .limit(slots.of<number>('limit'))
      .compile();
  }

  /**
   * Returns how many rows to read per page, which is more than the page size. Rounded, to bound the number of
   * distinct statements.
   */
  #windowOf({ limit, sourceIds }: RowQuery): number {
    const { peekRows } = this.#limits;
    const most = peekRows * Math.ceil(limit / 100);
    const share = Math.ceil((4 * most) / sourceIds.length);
    return Math.min(most, roundUp(Math.max(share, 2 * limit), 50));
  }
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

/**
 * Materializes the key query, because PostgreSQL chooses a bad plan when it estimates that query as
 * expensive.
 */
function fromMaterialized(db: Kysely<Database>, keys: KeyQuery) {
  return db
    .with(
      (cte) => cte('k').materialized(),
      () => keys,
    )
    .selectFrom('k');
}

/** Formats a time as the database stores it. Sorts correctly up to the year 9999. */
function storedTime(time: Date): string {
  return new Date(Math.min(time.getTime(), LAST_TIME)).toISOString();
}

const LAST_TIME = Date.UTC(10_000, 0, 1) - 1;

function shapeOf(rowQuery: RowQuery, strategy: Strategy): string {
  const { after, search, updatedSince, version, includeDeleted, statuses } = rowQuery;
  return [
    strategy,
    rowQuery.sourceIds.length,
    rowQuery.visible === 'all',
    after !== undefined,
    search !== undefined,
    updatedSince !== undefined,
    version === undefined || version === 'latest' ? version : 'exact',
    includeDeleted === true,
    statuses?.join(','),
  ].join(' ');
}
