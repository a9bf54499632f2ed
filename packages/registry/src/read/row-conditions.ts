import type { EntryType } from '@portolan/plugin-api';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import { contains, type EngineName, isOneOf } from '../store/engine.ts';
import type { RowQuery } from './row-query.ts';
import type { Slots } from './statement-cache.ts';

type Versions = ExpressionBuilder<Database & { readonly v: Database['entry_version'] }, 'v'>;
type Condition = Expression<SqlBool>;

/** Conditions of a statement. Conditions that use the same value share one parameter. */
export class RowConditions {
  readonly #engine: EngineName;
  readonly #rowQuery: RowQuery;
  readonly #sources: readonly number[];
  readonly #slots: Slots;

  /** `sources` contains the placeholders for the ids of the sources. */
  constructor(engine: EngineName, rowQuery: RowQuery, sources: readonly number[], slots: Slots) {
    this.#engine = engine;
    this.#rowQuery = rowQuery;
    this.#sources = sources;
    this.#slots = slots;
  }

  /** Returns the condition for where a page starts, written so that the engine can use the scanned index. */
  place(eb: Versions): Condition[] {
    const { after, version } = this.#rowQuery;
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

  /** Returns every condition except that no source of higher priority has the entry. */
  filters(eb: Versions): Condition[] {
    const { search, updatedSince, includeDeleted, statuses, visible } = this.#rowQuery;
    const filters: Condition[] = this.place(eb);
    if (includeDeleted !== true) filters.push(eb('v.status', '<>', sql.lit('deleted')));
    if (statuses !== undefined)
      filters.push(eb.or(statuses.map((status) => eb('v.status', '=', sql.lit(status)))));
    if (search !== undefined)
      filters.push(contains(this.#engine, eb.ref('v.search_text'), this.#slots.of<string>('needle')));
    if (updatedSince !== undefined) filters.push(eb('v.updated_at', '>', this.#slots.of<string>('since')));
    if (visible !== 'all') filters.push(this.isVisible(eb.ref('v.claim_set_id')));
    return filters;
  }

  isVisible(claimSet: Expression<number>): Condition {
    return isOneOf(this.#engine, claimSet, this.#slots.of<string>('classes'));
  }

  isWinner(eb: Versions): Condition {
    const bySource = this.#sources.map((source, position) =>
      eb.and([eb('v.source_id', '=', source), ...this.notShadowed(eb, position)]),
    );
    return eb.or(bySource);
  }

  /** Returns the condition that no source of higher priority has a visible entry of the same name. */
  notShadowed(eb: Versions, position: number): Condition[] {
    if (position === 0) return [];
    const better = eb
      .selectFrom('entry as e')
      .select('e.id')
      .where('e.source_id', 'in', this.#sources.slice(0, position))
      .where('e.type', '=', this.#slots.of<EntryType>('type'))
      .whereRef('e.name', '=', 'v.name')
      .$if(this.#rowQuery.visible !== 'all', (query) =>
        query.where((inner) => this.isVisible(inner.ref('e.claim_set_id'))),
      )
      // The limit keeps this an index lookup per row; a join would read all names first.
      .limit(sql.lit(1));
    return [eb(better, 'is', null)];
  }
}
