import { type CompiledQuery, type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import type { PortolanError } from '@portolan/plugin-api';
import type { Database } from './database-schema.ts';

export type EngineName = 'sqlite' | 'postgres';

/** Current use of one pool's connections. */
export interface PoolState {
  readonly name: string;
  /** Number of open connections, idle or in use. */
  readonly open: number;
  readonly idle: number;
  /** Number of requests that wait for a connection. */
  readonly waiting: number;
  /** Maximum number of open connections. */
  readonly most: number;
}

/** Reads the rows of a compiled query. */
export type ReadRows = <Row>(query: CompiledQuery<Row>) => readonly Row[] | Promise<readonly Row[]>;

/** Connections that an engine opens. `reading` and `writing` may be the same object. */
export interface Connections {
  readonly engine: EngineName;
  readonly reading: Kysely<Database>;
  readonly writing: Kysely<Database>;
  /** Returns the number of the last committed change synchronously. Undefined when the engine cannot. */
  readonly readEpoch?: () => number;
  /** Reads the rows of a compiled query, synchronously where the engine can. */
  readonly readRows: ReadRows;
  /** Connection with the privileges to change the schema. */
  readonly migrating: Kysely<Database>;
  /**
   * Returns an error when the open file is no longer the one at its path. Undefined for engines without a
   * file.
   */
  readonly findFileFault?: () => PortolanError | undefined;
  /** Undefined for an engine without pools. */
  readonly readPools?: () => readonly PoolState[];
  close(): Promise<void>;
}

/** Returns a condition that a text contains another one, without wildcards. */
export function contains(engine: EngineName, text: Expression<string>, part: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`strpos(${text}, ${part}) > 0`
    : sql<boolean>`instr(${text}, ${part}) > 0`;
}

/**
 * Returns a condition that a number is in a list from `listOfIds`. The list is one parameter of any length.
 */
export function isOneOf(engine: EngineName, id: Expression<number>, list: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`${id} = any(cast(${list} as bigint[]))`
    : sql<boolean>`${id} in (select value from json_each(${list}))`;
}

/** Returns the ids of a list from `listOfIds`, each with its position. */
export function placesIn(engine: EngineName, list: unknown): RawBuilder<{ id: number; place: number }> {
  return engine === 'postgres'
    ? sql`(select id, place from unnest(cast(${list} as bigint[])) with ordinality as listed (id, place))`
    : sql`(select value as id, key as place from json_each(${list}))`;
}

/** Serializes ids for `isOneOf` and `placesIn`. */
export function listOfIds(engine: EngineName, ids: readonly number[]): string {
  return engine === 'postgres' ? `{${ids.join(',')}}` : `[${ids.join(',')}]`;
}

/**
 * Returns whether the trigram index can look up a text. It needs three characters; on PostgreSQL, three
 * consecutive letters or digits. Other texts would scan the whole index.
 */
export function hasSearchIndex(engine: EngineName, text: string): boolean {
  return engine === 'postgres' ? /[\p{L}\p{N}]{3}/u.test(text) : Array.from(text).length >= 3;
}

/**
 * Returns the ids of versions that the trigram index finds. Exact, and valid only if `hasSearchIndex` is
 * true.
 */
export function searchHits(engine: EngineName, pattern: unknown): RawBuilder<{ id: number }> {
  return engine === 'postgres'
    ? sql`(select id from entry_version where search_text like ${pattern})`
    : sql`(select rowid as id from entry_search where entry_search match ${pattern})`;
}

/** Serializes a text for `searchHits`: as a quoted phrase, or as a pattern with escaped wildcards. */
export function searchPattern(engine: EngineName, text: string): string {
  return engine === 'postgres'
    ? `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    : `"${text.replaceAll('"', '""')}"`;
}

/** Returns milliseconds since 1970 from the database's clock, which all replicas share. */
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
 * Sets the timeouts of a writing transaction. PostgreSQL ends it when its process stops sending, because its
 * locked rows would block all other writers for hours. `rowMs` limits the wait for a row that others are
 * writing.
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
 * Prefers indexes in a transaction that writes many rows by key. PostgreSQL has no statistics for a table
 * that is growing, and would scan it for each hundred rows.
 */
export async function preferIndexes(db: Kysely<Database>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(db);
}

/**
 * Refreshes PostgreSQL's statistics after a sync. With old statistics, a list over a source that just grew
 * may take a hundred times as long. Requires the owner of the tables.
 */
export async function refreshStatistics(engine: EngineName, owning: Kysely<Database>): Promise<void> {
  if (engine === 'postgres') await sql`analyze entry, entry_version`.execute(owning);
}
