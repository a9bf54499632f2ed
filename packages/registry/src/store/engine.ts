import { type CompiledQuery, type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import type { PortolanError } from '@portolan/plugin-api';
import type { Database } from './database-schema.ts';

export type EngineName = 'sqlite' | 'postgres';

/** How the connections of one pool are used at the moment. */
export interface PoolState {
  readonly name: string;
  /** Connections that are open, idle or used. */
  readonly open: number;
  readonly idle: number;
  /** What waits for a connection. */
  readonly waiting: number;
  /** Most connections that may be open. */
  readonly most: number;
}

/** Reads the rows of a query that was compiled before. */
export type ReadRows = <Row>(query: CompiledQuery<Row>) => readonly Row[] | Promise<readonly Row[]>;

/** What an engine opens. `reading` and `writing` may be the same. */
export interface Connections {
  readonly engine: EngineName;
  readonly reading: Kysely<Database>;
  readonly writing: Kysely<Database>;
  /** The number of the last committed change, where reading it at once is cheaper than asking for it. */
  readonly readEpoch?: () => number;
  /** Rows of a compiled query by the shortest way: at once where the engine can. */
  readonly readRows: ReadRows;
  /** With the rights to change the schema. */
  readonly migrating: Kysely<Database>;
  /** Returns why the open file is no longer the one at its path; left out by engines without a file. */
  readonly findFileFault?: () => PortolanError | undefined;
  /** Left out by an engine without pools. */
  readonly readPools?: () => readonly PoolState[];
  close(): Promise<void>;
}

/** Whether a text contains another, compared character by character, without wildcards. */
export function contains(engine: EngineName, text: Expression<string>, part: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`strpos(${text}, ${part}) > 0`
    : sql<boolean>`instr(${text}, ${part}) > 0`;
}

/** Whether a number is in a list that `listOfIds` wrote: one parameter, however long the list is. */
export function isOneOf(engine: EngineName, id: Expression<number>, list: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`${id} = any(cast(${list} as bigint[]))`
    : sql<boolean>`${id} in (select value from json_each(${list}))`;
}

/** The ids of a list that `listOfIds` wrote, each with its place in the list. */
export function placesIn(engine: EngineName, list: unknown): RawBuilder<{ id: number; place: number }> {
  return engine === 'postgres'
    ? sql`(select id, place from unnest(cast(${list} as bigint[])) with ordinality as listed (id, place))`
    : sql`(select value as id, key as place from json_each(${list}))`;
}

/** How `isOneOf` and `placesIn` want their list. */
export function listOfIds(engine: EngineName, ids: readonly number[]): string {
  return engine === 'postgres' ? `{${ids.join(',')}}` : `[${ids.join(',')}]`;
}

/**
 * Whether the trigram index can look up a text: it needs three characters, on
 * PostgreSQL three letters or digits in a row. It would find others too, by
 * reading the whole index.
 */
export function hasSearchIndex(engine: EngineName, text: string): boolean {
  return engine === 'postgres' ? /[\p{L}\p{N}]{3}/u.test(text) : Array.from(text).length >= 3;
}

/** Ids of versions that the trigram index finds; exact, and only where `hasSearchIndex` says so. */
export function searchHits(engine: EngineName, pattern: unknown): RawBuilder<{ id: number }> {
  return engine === 'postgres'
    ? sql`(select id from entry_version where search_text like ${pattern})`
    : sql`(select rowid as id from entry_search where entry_search match ${pattern})`;
}

/** How `searchHits` wants the text: as a quoted phrase, or as a pattern whose wildcards are escaped. */
export function searchPattern(engine: EngineName, text: string): string {
  return engine === 'postgres'
    ? `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
    : `"${text.replaceAll('"', '""')}"`;
}

/** Milliseconds since 1970 by the database's own clock, which all replicas share. */
export function databaseNow(engine: EngineName): RawBuilder<number> {
  return engine === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

/** Longest that a transaction may do nothing: whoever lost a lease meanwhile is not coming back. */
const IDLE_MS = 30_000;

/**
 * For a transaction that writes: PostgreSQL ends it when its process, stopped or cut off, sends nothing more, which
 * would keep the rows that it has locked from everyone else for hours. With `rowMs`, it waits no longer for a row of others.
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
 * For a transaction that writes many rows by their keys: PostgreSQL does not see how a table grows that it has not
 * counted yet, and would go through all of it for each hundred rows.
 */
export async function preferIndexes(db: Kysely<Database>, engine: EngineName): Promise<void> {
  if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(db);
}

/**
 * Lets PostgreSQL count again after a sync. Until it has, it plans for the data
 * as it was, and a list over a source that just grew may take a hundred times as long.
 * Only the owner of the tables may ask for it.
 */
export async function refreshStatistics(engine: EngineName, owning: Kysely<Database>): Promise<void> {
  if (engine === 'postgres') await sql`analyze entry, entry_version`.execute(owning);
}
