import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './database-schema.ts';

export type EngineName = 'sqlite' | 'postgres';

/** What an engine opens. `reading` and `writing` may be the same. */
export interface Connections {
  readonly engine: EngineName;
  readonly reading: Kysely<Database>;
  readonly writing: Kysely<Database>;
  /** The number of the last committed change, where reading it at once is cheaper than asking for it. */
  readonly readEpoch?: () => number;
  /** With the rights to change the schema. */
  readonly migrating: Kysely<Database>;
  close(): Promise<void>;
}

/** Shortest text that the trigram indexes of both engines can look up. */
export const SHORTEST_INDEXED_SEARCH = 3;

/** Whether a text contains another, compared character by character, without wildcards. */
export function contains(engine: EngineName, text: Expression<string>, part: unknown): RawBuilder<boolean> {
  return engine === 'postgres'
    ? sql<boolean>`strpos(${text}, ${part}) > 0`
    : sql<boolean>`instr(${text}, ${part}) > 0`;
}

/** Ids of versions that the trigram index finds; exact, and only for three characters or more. */
export function searchHits(engine: EngineName, needle: unknown): RawBuilder<{ id: number }> {
  return engine === 'postgres'
    ? sql`(select id from entry_version where search_text like ${needle})`
    : sql`(select rowid as id from entry_search where entry_search match ${needle})`;
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

/**
 * Lets PostgreSQL count again after a sync. Until it has, it plans for the data
 * as it was, and a list over a source that just grew may take a hundred times as long.
 */
export async function refreshStatistics(store: Pick<Connections, 'engine' | 'writing'>): Promise<void> {
  if (store.engine === 'postgres') await sql`analyze entry, entry_version`.execute(store.writing);
}
