import type { Kysely } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import { highestVersion } from '../store/latest-version.ts';
import type { PreparedVersion } from '../preparation/prepared-version.ts';
import { keyOf, type KnownEntry, SourceEntries } from './source-entries.ts';
import {
  type KnownVersion,
  type KnownVersions,
  moveLatest,
  type VersionRow,
  versionRow,
} from './version-row.ts';
import type { WriteTarget } from './write-target.ts';

export interface WriteResult {
  readonly changed: boolean;
  /** Versions that stood in the source a second time, as `name@version`. */
  readonly duplicates: readonly string[];
}

/** Rows that one statement may touch: both engines take this many parameters. */
const CHUNK = 500;

/**
 * Makes the versions of a source equal to what it reported: writes what is new
 * or changed, removes what is gone, and leaves the rest alone. Run it inside a
 * transaction.
 */
export async function writeVersions(
  db: Kysely<Database>,
  target: WriteTarget,
  batches: AsyncIterable<readonly PreparedVersion[]>,
): Promise<WriteResult> {
  const writer = new SourceWriter(db, target);
  for await (const batch of batches) await writer.write(batch);
  await writer.removeUnseen();
  return { changed: writer.changed, duplicates: writer.duplicates };
}

class SourceWriter {
  readonly duplicates: string[] = [];
  readonly #db: Kysely<Database>;
  readonly #target: WriteTarget;
  readonly #entries: SourceEntries;
  readonly #seen = new Set<number>();
  #changed = false;

  constructor(db: Kysely<Database>, target: WriteTarget) {
    this.#db = db;
    this.#target = target;
    this.#entries = new SourceEntries(db, target);
  }

  get changed(): boolean {
    return this.#changed || this.#entries.relabelled;
  }

  async write(batch: readonly PreparedVersion[]): Promise<void> {
    const entries = await this.#entries.of(batch);
    const known = await this.#versionsOf([...entries.values()].map((entry) => entry.id));
    const rows = this.#rowsToWrite(batch, entries, known);
    if (rows.length > 0) {
      this.#changed = true;
      await this.#moveLatest(rows, known);
      await this.#upsert(rows);
    }
  }

  /** Removes the versions that were not reported, and entries without versions. */
  async removeUnseen(): Promise<void> {
    let after = 0;
    for (;;) {
      const page = await this.#db
        .selectFrom('entry_version')
        .select('id')
        .where('source_id', '=', this.#target.sourceId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(5000)
        .execute();
      const gone = page.map((row) => row.id).filter((id) => !this.#seen.has(id));
      for (let at = 0; at < gone.length; at += CHUNK) await this.#remove(gone.slice(at, at + CHUNK));
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  async #remove(ids: readonly number[]): Promise<void> {
    this.#changed = true;
    const removed = await this.#db
      .deleteFrom('entry_version')
      .where('id', 'in', ids)
      .returning('entry_id')
      .execute();
    const entryIds = [...new Set(removed.map((row) => row.entry_id))];
    const left = await this.#versionsOf(entryIds);
    const empty = entryIds.filter((id) => !left.has(id));
    if (empty.length > 0) await this.#db.deleteFrom('entry').where('id', 'in', empty).execute();
    const latest = [...left.values()].map((versions) => highestVersion([...versions.values()])?.id ?? 0);
    if (latest.length > 0) {
      await this.#db.updateTable('entry_version').set({ is_latest: 1 }).where('id', 'in', latest).execute();
    }
  }

  async #versionsOf(entryIds: readonly number[]): Promise<Map<number, Map<string, KnownVersion>>> {
    const byEntry = new Map<number, Map<string, KnownVersion>>();
    if (entryIds.length === 0) return byEntry;
    const rows = await this.#db
      .selectFrom('entry_version')
      .select([
        'id',
        'entry_id',
        'version',
        'content_hash',
        'order_key',
        'is_latest',
        'status',
        'status_changed_at',
        'published_at',
      ])
      .where('entry_id', 'in', entryIds)
      .execute();
    for (const row of rows) {
      const versions = byEntry.get(row.entry_id) ?? new Map<string, KnownVersion>();
      versions.set(row.version, row);
      byEntry.set(row.entry_id, versions);
    }
    return byEntry;
  }

  /** What differs from the stored versions; remembers what was seen, and sorts out what came twice. */
  #rowsToWrite(
    batch: readonly PreparedVersion[],
    entries: ReadonlyMap<string, KnownEntry>,
    known: KnownVersions,
  ): VersionRow[] {
    const rows = new Map<string, VersionRow>();
    for (const version of batch) {
      const entry = entries.get(keyOf(version));
      if (entry === undefined) throw new TypeError(`no entry was made for ${version.name}`);
      const before = known.get(entry.id)?.get(version.version);
      const key = `${entry.id} ${version.version}`;
      if (rows.has(key) || (before !== undefined && this.#seen.has(before.id))) {
        this.duplicates.push(`${version.name}@${version.version}`);
        continue;
      }
      if (before !== undefined) this.#seen.add(before.id);
      if (before?.content_hash !== version.contentHash)
        rows.set(key, versionRow(version, entry.id, before, this.#target));
    }
    return [...rows.values()];
  }

  /** Gives the flag to the latest version of each touched entry, and takes it from the one that was. */
  async #moveLatest(rows: readonly VersionRow[], known: KnownVersions): Promise<void> {
    const { demoted, promoted } = moveLatest(rows, known);
    const flag = (ids: readonly number[], is_latest: 0 | 1) =>
      this.#db.updateTable('entry_version').set({ is_latest }).where('id', 'in', ids).execute();
    if (demoted.length > 0) await flag(demoted, 0);
    if (promoted.length > 0) await flag(promoted, 1);
  }

  async #upsert(rows: readonly VersionRow[]): Promise<void> {
    const { claimSetId: own } = this.#target;
    const entryIds = [...new Set(rows.map((row) => row.entry_id))];
    const classes = own === undefined ? await this.#entries.classesOf(entryIds) : undefined;
    const values = rows.map((row) => ({ ...row, claim_set_id: own ?? classes?.get(row.entry_id) ?? 0 }));
    const written = await this.#db
      .insertInto('entry_version')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['source_id', 'type', 'name', 'version']).doUpdateSet((eb) => ({
          claim_set_id: eb.ref('excluded.claim_set_id'),
          is_latest: eb.ref('excluded.is_latest'),
          status: eb.ref('excluded.status'),
          status_changed_at: eb.ref('excluded.status_changed_at'),
          updated_at: eb.ref('excluded.updated_at'),
          order_key: eb.ref('excluded.order_key'),
          search_text: eb.ref('excluded.search_text'),
          content_hash: eb.ref('excluded.content_hash'),
          document: eb.ref('excluded.document'),
        })),
      )
      .returning('id')
      .execute();
    for (const { id } of written) this.#seen.add(id);
  }
}
