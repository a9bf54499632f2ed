import { type CompiledQuery, type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import type { PortolanError } from '@portolan/plugin-api';
import type { Database } from './database-schema.ts';

export type EngineName = 'sqlite' | 'postgres';

export interface PoolState {
  readonly name: string;
  /** Number of open connections, idle or in use. */
  readonly open: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
  readonly max: number;
}

export type ReadRows = <Row>(query: CompiledQuery<Row>) => readonly Row[] | Promise<readonly Row[]>;

/** Open connections of an engine. `reading` and `writing` may be the same object. */
export interface Connections {
  readonly engine: EngineName;
  readonly reading: Kysely<Database>;
  readonly writing: Kysely<Database>;
  /**
   * Returns the number of the last committed change. Undefined when the engine cannot read it synchronously.
   */
  readonly readEpoch?: () => number;
  /** Runs a read. Returns the rows directly where the engine is synchronous, otherwise a promise. */
  readonly readRows: ReadRows;
  /** Connection with the privileges to change the schema. */
  readonly migrating: Kysely<Database>;
  /** Returns an error when the open file is no longer the one at its path. */
  readonly findFileFault?: () => PortolanError | undefined;
  /** Returns the state of each connection pool. Undefined for an engine without pools. */
  readonly readPools?: () => readonly PoolState[];
  close(): Promise<void>;
}

/** Returns the condition that a text contains another text, without wildcards. */
export function contains(engine: EngineName, text: Expression<string>, part: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`strpos(${text}, ${part}) > 0`
    : sql<boolean>`instr(${text}, ${part}) > 0`;
}

/**
 * Returns the condition that an id is in a list from `listOfIds`. The list is a single parameter of any
 * length.
 */
export function isOneOf(engine: EngineName, id: Expression<number>, list: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`${id} = any(cast(${list} as bigint[]))`
    : sql<boolean>`${id} in (select value from json_each(${list}))`;
}

/** Returns the ids of a list from `listOfIds` as a table with their positions. */
export function placesIn(engine: EngineName, list: unknown): RawBuilder<{ id: number; place: number }> {
  return engine === 'postgres'
    ? sql`(select id, place from unnest(cast(${list} as bigint[])) with ordinality as listed (id, place))`
    : sql`(select value as id, key as place from json_each(${list}))`;
}

export function listOfIds(engine: EngineName, ids: readonly number[]): string {
  return engine === 'postgres' ? `{${ids.join(',')}}` : `[${ids.join(',')}]`;
}

/**
 * Returns whether the search index can find a text. A trigram index needs three characters, on PostgreSQL
 * three consecutive letters or digits; shorter texts would scan the whole index.
 */
export function hasSearchIndex(engine: EngineName, text: string): boolean {
  return engine === 'postgres' ? /[\p{L}\p{N}]{3}/u.test(text) : Array.from(text).length >= 3;
}

/**
 * Selects the ids of rows that contain a text, by the search index. Correct only if `hasSearchIndex` is true
 * for the text.
 */
export function searchHits(engine: EngineName, pattern: unknown): RawBuilder<{ id: number }> {
  return engine === 'postgres'
    ? sql`(select id from entry_version where search_text like ${pattern})`
    : sql`(select rowid as id from entry_search where entry_search match ${pattern})`;
}

/**
 * Returns the parameter for a search: a quoted phrase on SQLite, a pattern with escaped wildcards on
 * PostgreSQL.
 */
export function searchPattern(engine: EngineName, text: string): string {
  return engine === 'postgres'
    ? `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    : `"${text.replaceAll('"', '""')}"`;
}

/**
 * Returns an expression for the current time of the database, which all replicas share, in milliseconds since
 * 1970.
 */
export function databaseNow(engine: EngineName): RawBuilder<number> {
  return engine === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

/**
 * Maximum idle time of a transaction, in milliseconds. A process that is silent for longer has lost its
 * leases.
 */
const IDLE_MS = 30_000;

/**
 * Limits how long a transaction may wait. PostgreSQL ends an idle transaction, because the locked rows of a
 * hung process would otherwise block all writers for hours. `rowMs` limits the wait for a locked row.
 */
export async function limitWaits(db: Kysely<Database>, engine: EngineName, rowMs?: number): Promise<void> {
  if (engine !== 'postgres') return;
  const settings = {
    idle_in_transaction_session_timeout: IDLE_MS,
    ...(rowMs === undefined ? {} : { lock_timeout: rowMs }),
  };
  const set = Object.entries(settings).map(([name, ms]) => sql`set_config(${name}, ${String(ms)}, true)`);
  await sql`select ${sql.join(set)}`.execute(db);
}

/**
 * Makes PostgreSQL prefer indexes. It has no statistics about a growing table and would otherwise scan the
 * whole table repeatedly.
 */
export async function preferIndexes(db: Kysely<Database>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(db);
}

/**
 * Updates the statistics of the tables, which requires their owner. With old statistics, a list over a source
 * that just grew may take a hundred times as long.
 */
export async function refreshStatistics(engine: EngineName, owning: Kysely<Database>): Promise<void> {
  if (engine === 'postgres') await sql`analyze entry, entry_version`.execute(owning);
}
