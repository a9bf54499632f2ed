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
  readonly most: number;
}

export type ReadRows = <Row>(query: CompiledQuery<Row>) => readonly Row[] | Promise<readonly Row[]>;

/** `reading` and `writing` may be the same object. */
export interface Connections {
  readonly engine: EngineName;
  readonly reading: Kysely<Database>;
  readonly writing: Kysely<Database>;
  /** Last committed change. Undefined when the engine cannot read it synchronously. */
  readonly readEpoch?: () => number;
  /** Synchronous where the engine can. */
  readonly readRows: ReadRows;
  /** Connection with the privileges to change the schema. */
  readonly migrating: Kysely<Database>;
  /** Returns an error when the open file is no longer the one at its path. */
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

/** The list from `listOfIds` is one parameter of any length. */
export function isOneOf(engine: EngineName, id: Expression<number>, list: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`${id} = any(cast(${list} as bigint[]))`
    : sql<boolean>`${id} in (select value from json_each(${list}))`;
}

/** Ids of `listOfIds` with their positions. */
export function placesIn(engine: EngineName, list: unknown): RawBuilder<{ id: number; place: number }> {
  return engine === 'postgres'
    ? sql`(select id, place from unnest(cast(${list} as bigint[])) with ordinality as listed (id, place))`
    : sql`(select value as id, key as place from json_each(${list}))`;
}

export function listOfIds(engine: EngineName, ids: readonly number[]): string {
  return engine === 'postgres' ? `{${ids.join(',')}}` : `[${ids.join(',')}]`;
}

/**
 * The trigram index needs three characters; on PostgreSQL, three consecutive letters or digits. Other texts
 * would scan the whole index.
 */
export function hasSearchIndex(engine: EngineName, text: string): boolean {
  return engine === 'postgres' ? /[\p{L}\p{N}]{3}/u.test(text) : Array.from(text).length >= 3;
}

/** Exact, and valid only if `hasSearchIndex` is true. */
export function searchHits(engine: EngineName, pattern: unknown): RawBuilder<{ id: number }> {
  return engine === 'postgres'
    ? sql`(select id from entry_version where search_text like ${pattern})`
    : sql`(select rowid as id from entry_search where entry_search match ${pattern})`;
}

/** A quoted phrase, or a pattern with escaped wildcards. */
export function searchPattern(engine: EngineName, text: string): string {
  return engine === 'postgres'
    ? `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    : `"${text.replaceAll('"', '""')}"`;
}

/** Milliseconds since 1970 from the clock that all replicas share. */
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
 * PostgreSQL ends the transaction of a silent process, whose locked rows would block all writers for hours.
 * `rowMs` limits the wait for a locked row.
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

/** PostgreSQL has no statistics for a growing table, and would scan it for each hundred rows. */
export async function preferIndexes(db: Kysely<Database>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(db);
}

/**
 * Requires the owner of the tables. With old statistics, a list over a source that just grew may take a
 * hundred times as long.
 */
export async function refreshStatistics(engine: EngineName, owning: Kysely<Database>): Promise<void> {
  if (engine === 'postgres') await sql`analyze entry, entry_version`.execute(owning);
}
