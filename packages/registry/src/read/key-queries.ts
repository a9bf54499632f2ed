import type { EntryType } from '@portolan/plugin-api';
import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import { type EngineName, placesIn, searchHits } from '../store/engine.ts';
import { RowConditions } from './row-conditions.ts';
import type { Finder, RowQuery, Strategy } from './row-query.ts';
import type { Slots } from './statement-cache.ts';

const PEEKED = [
  'v.id',
  'v.source_id',
  'v.name',
  'v.version',
  'v.is_latest',
  'v.status',
  'v.updated_at',
  'v.claim_set_id',
  'v.search_text',
] as const;

export type KeyQuery = SelectQueryBuilder<Database, never, { id: number; name: string; version: string }>;

/**
 * Queries for the keys of a page of rows, one per strategy. A value that a statement uses several times is
 * bound once.
 */
export class KeyQueries {
  readonly #db: Kysely<Database>;
  readonly #engine: EngineName;
  readonly #rowQuery: RowQuery;
  readonly #sources: readonly number[];
  readonly #slots: Slots;
  readonly #conditions: RowConditions;

  constructor(db: Kysely<Database>, engine: EngineName, rowQuery: RowQuery, slots: Slots) {
    this.#db = db;
    this.#engine = engine;
    this.#rowQuery = rowQuery;
    this.#slots = slots;
    this.#sources = rowQuery.sourceIds.map((_, at) => slots.of<number>(`source${at}`));
    this.#conditions = new RowConditions(engine, rowQuery, this.#sources, slots);
  }

  keys(strategy: Strategy, window: number): KeyQuery {
    if (strategy === 'walk') return this.#walkedKeys();
    if (strategy === 'ranked') return this.#rankedKeys();
    return strategy === 'peek' ? this.#peekedKeys(sql.lit(window)) : this.#foundKeys(strategy);
  }

  hits(finder: Finder): SelectQueryBuilder<Database, never, { id: number }> {
    if (finder === 'search') {
      const ids = searchHits(this.#engine, this.#slots.of<string>('pattern'));
      return this.#db.selectFrom(ids.as('found')).select('found.id');
    }
    const inSources = this.#db
      .selectFrom('entry_version as h')
      .select('h.id')
      .where('h.source_id', 'in', this.#sources)
      .where('h.type', '=', this.#slots.of<EntryType>('type'));
    return finder === 'since'
      ? inSources.where('h.updated_at', '>', this.#slots.of<string>('since'))
      : inSources.where((eb) => this.#conditions.isVisible(eb.ref('h.claim_set_id')));
  }

  /** Merges one ordered index scan per source, none longer than the page needs. */
  #walkedKeys() {
    return unionOf(
      this.#sources.map((source, position) =>
        this.#db.selectFrom(this.#walk(source, position).as(`w${position}`)).selectAll(),
      ),
    );
  }

  /**
   * Merges the sources before limiting the number of rows. A limit per source would end at a different name
   * in each source, and later rows of the other sources would be skipped.
   */
  #peekedKeys(window: Expression<number>) {
    const ahead = unionOf(
      this.#sources.map((source, position) => {
        const one = this.#along(source).select(PEEKED).orderBy('v.name').orderBy('v.version').limit(window);
        return this.#db.selectFrom(one.as(`w${position}`)).selectAll();
      }),
    )
      .orderBy('name')
      .orderBy('version')
      .limit(window);
    return this.#db
      .selectFrom(ahead.as('v'))
      .select(['v.id', 'v.name', 'v.version'])
      .where((eb) => eb.and(this.#conditions.filters(eb)))
      .where((eb) => this.#conditions.isWinner(eb))
      .orderBy('v.name')
      .orderBy('v.version')
      .limit(this.#slots.of<number>('limit'));
  }

  /** Selects, per name, the versions of the visible entry in the highest-priority source. */
  #rankedKeys() {
    const { after, visible } = this.#rowQuery;
    const place = sql<number>`row_number() over (partition by ${sql.ref('e.name')} order by ${sql.ref('s.place')})`;
    return (
      this.#db
        .with(
          (cte) => cte('ranked').materialized(),
          (db) =>
            db
              .selectFrom(placesIn(this.#engine, this.#slots.of<string>('sources')).as('s'))
              .innerJoin('entry as e', 'e.source_id', 's.id')
              .select(['e.id', place.as('place')])
              .where('e.type', '=', this.#slots.of<EntryType>('type'))
              .$if(after !== undefined, (query) =>
                query.where('e.name', '>=', this.#slots.of<string>('afterName')),
              )
              .$if(visible !== 'all', (query) =>
                query.where((eb) => this.#conditions.isVisible(eb.ref('e.claim_set_id'))),
              ),
        )
        .selectFrom('ranked')
        // As in `#foundKeys`: SQLite reads entries first, then their versions.
        .crossJoin('entry_version as v')
        .whereRef('v.entry_id', '=', 'ranked.id')
        .where('ranked.place', '=', 1)
        .select(['v.id', 'v.name', 'v.version'])
        .where((eb) => eb.and(this.#conditions.filters(eb)))
        .orderBy('v.name')
        .orderBy('v.version')
        .limit(this.#slots.of<number>('limit'))
    );
  }

  /**
   * Selects keys of the rows that an index finds. The query is materialized, so that engines cannot choose
   * another index for the order.
   */
  #foundKeys(finder: Finder) {
    return this.#db
      .with(
        (cte) => cte('hits').materialized(),
        () => this.hits(finder),
      )
      .with(
        (cte) => cte('found').materialized(),
        // SQLite executes a cross join in written order: the few hits first, then their rows.
        (db) =>
          db
            .selectFrom('hits')
            .crossJoin('entry_version as v')
            .whereRef('v.id', '=', 'hits.id')
            .select([...PEEKED, 'v.type']),
      )
      .selectFrom('found as v')
      .select(['v.id', 'v.name', 'v.version'])
      .where('v.type', '=', this.#slots.of<EntryType>('type'))
      .where((eb) => eb.and(this.#conditions.filters(eb)))
      .where((eb) => this.#conditions.isWinner(eb))
      .orderBy('v.name')
      .orderBy('v.version')
      .limit(this.#slots.of<number>('limit'));
  }

  #walk(source: number, position: number) {
    return this.#along(source)
      .select(['v.id', 'v.name', 'v.version'])
      .where((eb) => eb.and([...this.#conditions.filters(eb), ...this.#conditions.notShadowed(eb, position)]))
      .orderBy('v.name')
      .orderBy('v.version')
      .limit(this.#slots.of<number>('limit'));
  }

  #along(source: number) {
    return this.#db
      .selectFrom('entry_version as v')
      .where('v.source_id', '=', source)
      .where('v.type', '=', this.#slots.of<EntryType>('type'))
      .where((eb) => eb.and(this.#conditions.place(eb)));
  }
}

function unionOf<Tables, Table extends keyof Tables, Output>(
  queries: readonly SelectQueryBuilder<Tables, Table, Output>[],
) {
  const [first, ...others] = queries;
  if (first === undefined) throw new TypeError('a list needs at least one source');
  return others.reduce((all, one) => all.unionAll(one), first);
}
