import type { EntryType } from '@portolan/plugin-api';
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Database } from '../store/database-schema.ts';
import {
  contains,
  type EngineName,
  hasSearchIndex,
  isOneOf,
  listOfIds,
  searchHits,
  searchPattern,
} from '../store/engine.ts';
import type { ListQuery, VisibleClasses } from './registry-reader.ts';
import { bind, type BoundQuery, type Slots, StatementCache } from './statement-cache.ts';

/** What a list asks, with everything names stand for looked up. */
export interface RowsWanted extends Omit<ListQuery, 'limit'> {
  readonly limit: number;
  readonly sourceIds: readonly number[];
  readonly visible: VisibleClasses;
}

/** An index that finds the rows of one filter: of the searched text, of the time of change, of the claims. */
export type Finder = 'search' | 'since' | 'classes';

/**
 * How rows are found. `walk`: along the names, until the page is full. `peek`:
 * likewise, but no further than some hundred rows. A finder: all rows that its
 * index finds, then sorted.
 */
export type Strategy = 'walk' | 'peek' | Finder;

/** Rows that `peek` looks at before it gives up, for each hundred rows of a page. Unless told otherwise. */
export const PEEK_ROWS = 500;

/** Rows that are sorted for one page; of what finds more, a walk passes some soon. Unless told otherwise. */
export const MOST_SORTED = 5000;

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

export interface StoredRow {
  readonly source_id: number;
  readonly claim_set_id: number;
  readonly name: string;
  readonly version: string;
  readonly is_latest: 0 | 1;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly status_message: string | null;
  readonly status_changed_at: string;
  readonly published_at: string;
  readonly updated_at: string;
  readonly document: string;
}

type Versions = ExpressionBuilder<Database & { readonly v: Database['entry_version'] }, 'v'>;
type Condition = Expression<SqlBool>;

/** What may be tuned; only speed depends on it. */
export interface ListLimits {
  readonly peekRows: number;
  readonly mostSorted: number;
}

/**
 * Builds the one statement a strategy needs. Each combination of filters has a
 * statement of its own: one that served all with `$n is null or …` would make
 * PostgreSQL plan for the worst of them.
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

  /** The indexes that could find few rows where a walk would pass many by, the one that tells most first. */
  findersFor(wanted: RowsWanted): readonly Finder[] {
    const finders: Finder[] = [];
    if (wanted.search !== undefined && hasSearchIndex(this.#engine, wanted.search.toLowerCase()))
      finders.push('search');
    if (wanted.updatedSince !== undefined) finders.push('since');
    if (wanted.visible !== 'all') finders.push('classes');
    return finders;
  }

  /** The rows of a page, in order. */
  rows(wanted: RowsWanted, strategy: Strategy): BoundQuery<StoredRow> {
    const statement = this.#rows.get(
      `${shapeOf(wanted, strategy)} ${this.#windowOf(wanted.limit)}`,
      (slots) => this.#buildRows(wanted, strategy, slots),
    );
    return bind(statement, this.#valuesOf(wanted));
  }

  /** How many rows a finder finds; past the number that is sorted it stops counting. */
  count(wanted: RowsWanted, finder: Finder): BoundQuery<{ readonly found: number }> {
    const statement = this.#counts.get(`${finder} ${wanted.sourceIds.length}`, (slots) => {
      const parts = new QueryParts(this.#db, this.#engine, wanted, slots);
      const some = parts.hits(finder).limit(sql.lit(this.#limits.mostSorted + 1));
      return this.#db
        .selectFrom(some.as('some'))
        .select((eb) => eb.fn.countAll<number>().as('found'))
        .compile();
    });
    return bind(statement, this.#valuesOf(wanted));
  }

  #valuesOf(wanted: RowsWanted) {
    const needle = wanted.search?.toLowerCase();
    return {
      type: wanted.type,
      limit: wanted.limit,
      afterName: wanted.after?.name,
      afterVersion: wanted.after?.version,
      needle,
      pattern: needle === undefined ? undefined : searchPattern(this.#engine, needle),
      since: wanted.updatedSince === undefined ? undefined : storedTime(wanted.updatedSince),
      version: wanted.version,
      classes: wanted.visible === 'all' ? undefined : listOfIds(this.#engine, wanted.visible),
      ...Object.fromEntries(wanted.sourceIds.map((id, at) => [`source${at}`, id])),
    };
  }

  #buildRows(wanted: RowsWanted, strategy: Strategy, slots: Slots) {
    const keys = new QueryParts(this.#db, this.#engine, wanted, slots).keys(
      strategy,
      this.#windowOf(wanted.limit),
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
        'r.document',
      ])
      .orderBy('k.name')
      .orderBy('k.version')
      .limit(slots.of<number>('limit'))
      .compile();
  }

  /** Rows to look at for a page of this size; rounded, so that there are few statements. */
  #windowOf(limit: number): number {
    return this.#limits.peekRows * Math.ceil(limit / 100);
  }
}

type Keys = SelectQueryBuilder<Database, never, { id: number; name: string; version: string }>;

/** Planned by themselves: PostgreSQL takes any way to the documents where finding the keys seems dear. */
function fromMaterialized(db: Kysely<Database>, keys: Keys) {
  return db
    .with(
      (cte) => cte('k').materialized(),
      () => keys,
    )
    .selectFrom('k');
}

/** The parts of one statement; what they have in common is bound once. */
class QueryParts {
  readonly #db: Kysely<Database>;
  readonly #engine: EngineName;
  readonly #wanted: RowsWanted;
  readonly #sources: readonly number[];
  readonly #slots: Slots;

  constructor(db: Kysely<Database>, engine: EngineName, wanted: RowsWanted, slots: Slots) {
    this.#db = db;
    this.#engine = engine;
    this.#wanted = wanted;
    this.#slots = slots;
    this.#sources = wanted.sourceIds.map((_, at) => slots.of<number>(`source${at}`));
  }

  /** Ids of the rows of a page, with what they are ordered by. */
  keys(strategy: Strategy, window: number): Keys {
    if (strategy === 'walk') return this.#walkedKeys();
    return strategy === 'peek' ? this.#peekedKeys(sql.lit(window)) : this.#foundKeys(strategy);
  }

  /** Ids of the rows that an index finds. */
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
      : inSources.where((eb) => this.#isVisible(eb.ref('h.claim_set_id')));
  }

  /** One ordered walk for each source, merged: none of them reads more than the page needs. */
  #walkedKeys() {
    return unionOf(
      this.#sources.map((source, position) =>
        this.#db.selectFrom(this.#walk(source, position).as(`w${position}`)).selectAll(),
      ),
    );
  }

  /**
   * What is found among the next rows of all sources together. They are merged
   * before they are counted: a window for each source would end at another name
   * in each, and what lies behind the first end would be passed over.
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
      .where((eb) => eb.and(this.#filters(eb)))
      .where((eb) => this.#isWinner(eb))
      .orderBy('v.name')
      .orderBy('v.version')
      .limit(this.#slots.of<number>('limit'));
  }

  /** What an index finds, in order. Materialized, so that no engine takes another index for the order's sake. */
  #foundKeys(finder: Finder) {
    return this.#db
      .with(
        (cte) => cte('hits').materialized(),
        () => this.hits(finder),
      )
      .with(
        (cte) => cte('found').materialized(),
        // SQLite takes a cross join in the order it is written: from the few hits to their rows, never the other way.
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
      .where((eb) => eb.and(this.#filters(eb)))
      .where((eb) => this.#isWinner(eb))
      .orderBy('v.name')
      .orderBy('v.version')
      .limit(this.#slots.of<number>('limit'));
  }

  #walk(source: number, position: number) {
    return this.#along(source)
      .select(['v.id', 'v.name', 'v.version'])
      .where((eb) => eb.and([...this.#filters(eb), ...this.#notShadowed(eb, position)]))
      .orderBy('v.name')
      .orderBy('v.version')
      .limit(this.#slots.of<number>('limit'));
  }

  /** The rows of a source from where the page begins. */
  #along(source: number) {
    return this.#db
      .selectFrom('entry_version as v')
      .where('v.source_id', '=', source)
      .where('v.type', '=', this.#slots.of<EntryType>('type'))
      .where((eb) => eb.and(this.#place(eb)));
  }

  /** Where the walk begins, in terms of the index it goes along. */
  #place(eb: Versions): Condition[] {
    const { after, version } = this.#wanted;
    const place: Condition[] = [];
    if (version === 'latest') place.push(eb('v.is_latest', '=', sql.lit(1)));
    else if (version !== undefined) place.push(eb('v.version', '=', this.#slots.of<string>('version')));
    if (after === undefined) return place;
    const name = this.#slots.of<string>('afterName');
    if (version === undefined) {
      place.push(
        eb(eb.refTuple('v.name', 'v.version'), '>', eb.tuple(name, this.#slots.of<string>('afterVersion'))),
      );
    } else {
      place.push(eb('v.name', '>', name));
    }
    return place;
  }

  /** Everything else a row has to be. */
  #filters(eb: Versions): Condition[] {
    const { search, updatedSince, includeDeleted, statuses, visible } = this.#wanted;
    const filters: Condition[] = this.#place(eb);
    if (includeDeleted !== true) filters.push(eb('v.status', '<>', sql.lit('deleted')));
    if (statuses !== undefined)
      filters.push(eb.or(statuses.map((status) => eb('v.status', '=', sql.lit(status)))));
    if (search !== undefined)
      filters.push(contains(this.#engine, eb.ref('v.search_text'), this.#slots.of<string>('needle')));
    if (updatedSince !== undefined) filters.push(eb('v.updated_at', '>', this.#slots.of<string>('since')));
    if (visible !== 'all') filters.push(this.#isVisible(eb.ref('v.claim_set_id')));
    return filters;
  }

  #isVisible(claimSet: Expression<number>): Condition {
    return isOneOf(this.#engine, claimSet, this.#slots.of<string>('classes'));
  }

  /** Whether a row of any source is one of the source that wins its name. */
  #isWinner(eb: Versions): Condition {
    const bySource = this.#sources.map((source, position) =>
      eb.and([eb('v.source_id', '=', source), ...this.#notShadowed(eb, position)]),
    );
    return eb.or(bySource);
  }

  /** No source placed before this one has a visible entry of the same name (decision: claims first, then order). */
  #notShadowed(eb: Versions, position: number): Condition[] {
    if (position === 0) return [];
    const better = eb
      .selectFrom('entry as e')
      .select('e.id')
      .where('e.source_id', 'in', this.#sources.slice(0, position))
      .where('e.type', '=', this.#slots.of<EntryType>('type'))
      .whereRef('e.name', '=', 'v.name')
      .$if(this.#wanted.visible !== 'all', (query) =>
        query.where((inner) => this.#isVisible(inner.ref('e.claim_set_id'))),
      )
      // The limit keeps this a look-up for each row: as a join it would read all names first.
      .limit(sql.lit(1));
    return [eb(better, 'is', null)];
  }
}

function unionOf<Tables, Table extends keyof Tables, Output>(
  queries: readonly SelectQueryBuilder<Tables, Table, Output>[],
) {
  const [first, ...others] = queries;
  if (first === undefined) throw new TypeError('a list needs at least one source');
  return others.reduce((all, one) => all.unionAll(one), first);
}

/** As times are stored. Their text orders them up to the year 9999, and nothing is later. */
function storedTime(time: Date): string {
  return new Date(Math.min(time.getTime(), LAST_TIME)).toISOString();
}

const LAST_TIME = Date.UTC(10_000, 0, 1) - 1;

function shapeOf(wanted: RowsWanted, strategy: Strategy): string {
  const { after, search, updatedSince, version, includeDeleted, statuses } = wanted;
  return [
    strategy,
    wanted.sourceIds.length,
    wanted.visible === 'all',
    after !== undefined,
    search !== undefined,
    updatedSince !== undefined,
    version === undefined || version === 'latest' ? version : 'exact',
    includeDeleted === true,
    statuses?.join(','),
  ].join(' ');
}
