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
  SHORTEST_INDEXED_SEARCH,
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

/**
 * How rows are found. `walk`: along the names, until the page is full. `peek`:
 * likewise, but no further than some hundred rows. `index`: what a
 * selective index finds, then sorted.
 */
export type Strategy = 'walk' | 'peek' | 'index';

/** Rows that `peek` looks at before it gives up, unless told otherwise. */
export const PEEK_ROWS = 500;

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

/**
 * Whether an index could find few rows where a walk would pass many by: then a
 * short walk is tried first and the index second, so that both a word that
 * nearly every entry holds and one that nearly none holds are found at once.
 */
export function isSelective(wanted: RowsWanted): boolean {
  return usesSearchIndex(wanted) || wanted.updatedSince !== undefined || wanted.visible !== 'all';
}

/**
 * Builds the one statement a strategy needs. Each combination of filters has a
 * statement of its own: one that served all with `$n is null or …` would make
 * PostgreSQL plan for the worst of them.
 */
export class ListStatements {
  readonly #db: Kysely<Database>;
  readonly #engine: EngineName;
  readonly #peekRows: number;
  readonly #cache = new StatementCache<StoredRow>(500);

  constructor(db: Kysely<Database>, engine: EngineName, peekRows: number) {
    this.#db = db;
    this.#engine = engine;
    this.#peekRows = peekRows;
  }

  /** The statement, its values filled in. */
  rows(wanted: RowsWanted, strategy: Strategy): BoundQuery<StoredRow> {
    const classes = wanted.visible === 'all' ? [] : padded(wanted.visible);
    const shape = shapeOf(wanted, strategy, classes.length);
    const statement = this.#cache.get(shape, (slots) => this.#build(wanted, strategy, classes.length, slots));
    return bind(statement, {
      type: wanted.type,
      limit: wanted.limit,
      window: Math.max(this.#peekRows, wanted.limit * wanted.sourceIds.length),
      afterName: wanted.after?.name,
      afterVersion: wanted.after?.version,
      needle: wanted.search?.toLowerCase(),
      pattern:
        wanted.search === undefined ? undefined : searchPattern(this.#engine, wanted.search.toLowerCase()),
      since: wanted.updatedSince?.toISOString(),
      version: wanted.version,
      ...Object.fromEntries(wanted.sourceIds.map((id, at) => [`source${at}`, id])),
      ...Object.fromEntries(classes.map((id, at) => [`class${at}`, id])),
    });
  }

  #build(wanted: RowsWanted, strategy: Strategy, classCount: number, slots: Slots) {
    const parts = new QueryParts(this.#db, this.#engine, wanted, classCount, slots);
    return this.#db
      .selectFrom(parts.keys(strategy).as('k'))
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
}

/** The parts of one statement; what they have in common is bound once. */
class QueryParts {
  readonly #db: Kysely<Database>;
  readonly #engine: EngineName;
  readonly #wanted: RowsWanted;
  readonly #classes: readonly number[];
  readonly #sources: readonly number[];
  readonly #slots: Slots;

  constructor(
    db: Kysely<Database>,
    engine: EngineName,
    wanted: RowsWanted,
    classCount: number,
    slots: Slots,
  ) {
    this.#db = db;
    this.#engine = engine;
    this.#wanted = wanted;
    this.#slots = slots;
    this.#classes = Array.from({ length: classCount }, (_, at) => slots.of<number>(`class${at}`));
    this.#sources = wanted.sourceIds.map((_, at) => slots.of<number>(`source${at}`));
  }

  keys(strategy: Strategy) {
    if (strategy === 'index') return this.#indexedKeys();
    return strategy === 'peek' ? this.#peekedKeys() : this.#walkedKeys();
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
  #peekedKeys() {
    const window = this.#slots.of<number>('window');
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

  /** What the most selective index finds, in order. */
  #indexedKeys() {
    const hits = this.#db
      .with(
        (cte) => cte('hits').materialized(),
        () => this.#hits(),
      )
      .selectFrom('hits')
      // SQLite takes a cross join in the order it is written: from the few hits to their rows, never the other way.
      .crossJoin('entry_version as v')
      .whereRef('v.id', '=', 'hits.id');
    return hits
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

  #hits() {
    const { updatedSince } = this.#wanted;
    const found = this.#db.selectFrom('entry_version as h').select('h.id');
    if (usesSearchIndex(this.#wanted)) {
      const ids = searchHits(this.#engine, this.#slots.of<string>('pattern'));
      return this.#db.selectFrom(ids.as('found')).select('found.id');
    }
    const inSources = found
      .where('h.source_id', 'in', this.#sources)
      .where('h.type', '=', this.#slots.of<EntryType>('type'));
    if (updatedSince !== undefined)
      return inSources.where('h.updated_at', '>', this.#slots.of<string>('since'));
    return inSources.where('h.claim_set_id', 'in', this.#classes);
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
    if (visible !== 'all') filters.push(eb('v.claim_set_id', 'in', this.#classes));
    return filters;
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
      .$if(this.#wanted.visible !== 'all', (query) => query.where('e.claim_set_id', 'in', this.#classes))
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

function usesSearchIndex(wanted: RowsWanted): boolean {
  return (
    wanted.search !== undefined && Array.from(wanted.search.toLowerCase()).length >= SHORTEST_INDEXED_SEARCH
  );
}

/** Few lengths make few statements: the list is filled up with its last id to a power of two. */
function padded(ids: readonly number[]): readonly number[] {
  const last = ids.at(-1);
  if (last === undefined) return [];
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return [...ids, ...Array.from({ length: length - ids.length }, () => last)];
}

function shapeOf(wanted: RowsWanted, strategy: Strategy, classCount: number): string {
  const { after, search, updatedSince, version, includeDeleted, statuses } = wanted;
  return [
    strategy,
    wanted.sourceIds.length,
    wanted.visible === 'all' ? 'all' : classCount,
    after !== undefined,
    search === undefined ? 'any' : usesSearchIndex(wanted),
    updatedSince !== undefined,
    version === undefined || version === 'latest' ? version : 'exact',
    includeDeleted === true,
    statuses?.join(','),
  ].join(' ');
}
