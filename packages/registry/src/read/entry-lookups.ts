import type { EntryType } from '@portolan/plugin-api';
import { CompiledQuery } from 'kysely';
import type { Store } from '../store/open-store.ts';
import { EntryStatements, type EntryWithVersion, ROW_COLUMNS } from './entry-query.ts';

export interface Lookup {
  readonly type: EntryType;
  readonly name: string;
  /** An exact version, or `latest`. */
  readonly version: string;
  readonly includeDeleted: boolean;
}

/** Result of a lookup, with the number of the last change if the same statement returned it. */
export interface LookupResult {
  readonly rows: readonly EntryWithVersion[];
  readonly change: number | undefined;
}

/** Maximum number of name and source pairs in one statement. */
const MAX_PLACES = 1000;

interface Question {
  readonly sourceIds: readonly number[];
  readonly lookup: Lookup;
  readonly resolve: (match: LookupResult) => void;
  readonly reject: (error: unknown) => void;
}

interface Batch {
  readonly questions: Question[];
  places: number;
}

/**
 * Shares one statement among the lookups of one event loop turn on PostgreSQL, because a round trip costs
 * several times as much as the rows. The statement also returns the number of the last change.
 */
export class EntryLookups {
  readonly #store: Store;
  readonly #statements: EntryStatements;
  readonly #gathering = new Map<string, Batch>();

  constructor(store: Store, statements: EntryStatements) {
    this.#store = store;
    this.#statements = statements;
  }

  one(sourceIds: readonly number[], lookup: Lookup): Promise<LookupResult> {
    // A string that PostgreSQL rejects must not fail the lookups of other callers.
    const isAlone = `${lookup.name}${lookup.version}`.includes('\0') || sourceIds.length > MAX_PLACES;
    if (this.#store.engine === 'sqlite' || isAlone) return this.#alone(sourceIds, lookup);
    return new Promise((resolve, reject) => this.#gather({ sourceIds, lookup, resolve, reject }));
  }

  async #alone(sourceIds: readonly number[], requested: Lookup): Promise<LookupResult> {
    return {
      rows: await this.#store.readRows(this.#statements.one(sourceIds, requested)),
      change: undefined,
    };
  }

  #gather(question: Question): void {
    const { type, version, includeDeleted } = question.lookup;
    const shape = `${type} ${version === 'latest'} ${includeDeleted}`;
    let batch = this.#gathering.get(shape);
    if (batch === undefined || batch.places + question.sourceIds.length > MAX_PLACES) {
      const started: Batch = { questions: [], places: 0 };
      this.#gathering.set(shape, started);
      setImmediate(() => {
        if (this.#gathering.get(shape) === started) this.#gathering.delete(shape);
        void this.#resolve(started.questions);
      });
      batch = started;
    }
    batch.questions.push(question);
    batch.places += question.sourceIds.length;
  }

  async #resolve(questions: readonly Question[]): Promise<void> {
    try {
      const rows = await this.#store.readRows<PlacedRow | NoRow>(sharedLookup(questions));
      const answers = questions.map((): EntryWithVersion[] => []);
      for (const row of rows) if (row.place !== null) answers[row.place]?.push(row);
      const change = rows[0]?.change;
      for (const [place, { resolve }] of questions.entries()) resolve({ rows: answers[place] ?? [], change });
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }
}

/** Row of a statement for several lookups, with the position of the lookup that it belongs to. */
type PlacedRow = EntryWithVersion & { readonly place: number; readonly change: number };
interface NoRow {
  readonly place: null;
  readonly change: number;
}

/**
 * Builds the statement for several lookups. They must be of one type, and either all for the latest version
 * or all for exact versions.
 */
function sharedLookup(questions: readonly Question[]): CompiledQuery<PlacedRow | NoRow> {
  const places: number[] = [];
  const sources: number[] = [];
  const names: string[] = [];
  const versions: string[] = [];
  for (const [place, { sourceIds, lookup }] of questions.entries()) {
    for (const source of sourceIds) {
      places.push(place);
      sources.push(source);
      names.push(lookup.name);
      versions.push(lookup.version);
    }
  }
  const { type, version, includeDeleted } = questions[0]?.lookup ?? { version: '', includeDeleted: false };
  const text = textOf(version === 'latest', includeDeleted);
  const values = [places, sources, names, ...(version === 'latest' ? [] : [versions]), type];
  return CompiledQuery.raw(text, values);
}

/**
 * The limits force an index lookup for each position, regardless of the planner. At most one such row
 * exists.
 */
function textOf(isLatest: boolean, includeDeleted: boolean): string {
  const [question, type] = isLatest ? ['', '$4'] : [', $4::text[]', '$5'];
  return `select change.epoch as change, found.*
from change left join (
  select asked.place, e.source_id as entry_source, e.claim_set_id as entry_class, ${ROW_COLUMNS.join(', ')}
  from unnest($1::integer[], $2::bigint[], $3::text[]${question}) as asked (place, source_id, name${isLatest ? '' : ', version'})
  cross join lateral (
    select id, source_id, claim_set_id from entry
    where source_id = asked.source_id and type = ${type} and name = asked.name limit 1
  ) as e
  left join lateral (
    select * from entry_version
    where entry_id = e.id and ${isLatest ? 'is_latest = 1' : 'version = asked.version'}${includeDeleted ? '' : " and status <> 'deleted'"} limit 1
  ) as v on true
) as found on true
where change.id = 1`;
}
