import type { EntryType } from '@portolan/plugin-api';
import { versionOrderKey } from '@portolan/entry-format';
import type { Kysely } from 'kysely';
import { claimSetId } from '../store/claim-sets.ts';
import type { Database, EntryVersionTable } from '../store/database-schema.ts';
import { highestVersion } from '../store/latest-version.ts';
import type { PreparedVersion } from './prepared-version.ts';

export interface WriteTarget {
  readonly sourceId: number;
  /** Class of every entry; undefined where each entry brings its claims. */
  readonly claimSetId: number | undefined;
  /** Time of the sync, ISO 8601. */
  readonly now: string;
}

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

type KnownVersion = Pick<
  EntryVersionTable,
  'version' | 'content_hash' | 'order_key' | 'is_latest' | 'status' | 'status_changed_at' | 'published_at'
> & { readonly id: number; readonly entry_id: number };

interface KnownEntry {
  readonly id: number;
  readonly claim_set_id: number;
}

class SourceWriter {
  changed = false;
  readonly duplicates: string[] = [];
  readonly #db: Kysely<Database>;
  readonly #target: WriteTarget;
  readonly #seen = new Set<number>();

  constructor(db: Kysely<Database>, target: WriteTarget) {
    this.#db = db;
    this.#target = target;
  }

  async write(batch: readonly PreparedVersion[]): Promise<void> {
    const entries = await this.#entriesOf(batch);
    const known = await this.#versionsOf([...entries.values()].map((entry) => entry.id));
    const rows = this.#rowsToWrite(batch, entries, known);
    if (rows.length > 0) {
      this.changed = true;
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
    this.changed = true;
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

  /** The entry of each name in the batch, by `keyOf`; made where it is new, its claims brought up to date. */
  async #entriesOf(batch: readonly PreparedVersion[]): Promise<Map<string, KnownEntry>> {
    const wanted = new Map(batch.map((version) => [keyOf(version), version]));
    const names = [...new Set([...wanted.values()].map((version) => version.name))];
    const found = await this.#db
      .selectFrom('entry')
      .select(['id', 'type', 'name', 'claim_set_id'])
      .where('source_id', '=', this.#target.sourceId)
      .where('type', 'in', [...new Set([...wanted.values()].map((version) => version.type))])
      .where('name', 'in', names)
      .execute();
    const entries = new Map(found.map((row): [string, KnownEntry] => [keyOf(row), row]));
    const missing = [...wanted].filter(([key]) => !entries.has(key)).map(([, version]) => version);
    for (const row of await this.#makeEntries(missing)) entries.set(keyOf(row), row);
    for (const [key, version] of wanted) {
      const entry = entries.get(key);
      if (entry !== undefined) await this.#relabel(entry, await this.#classOf(version));
    }
    return entries;
  }

  async #makeEntries(versions: readonly PreparedVersion[]) {
    if (versions.length === 0) return [];
    const { sourceId, now } = this.#target;
    const values = [];
    for (const version of versions) {
      values.push({
        source_id: sourceId,
        type: version.type,
        name: version.name,
        claim_set_id: await this.#classOf(version),
        created_at: now,
        updated_at: now,
      });
    }
    return this.#db
      .insertInto('entry')
      .values(values)
      .returning(['id', 'type', 'name', 'claim_set_id'])
      .execute();
  }

  async #classOf(version: PreparedVersion): Promise<number> {
    return this.#target.claimSetId ?? claimSetId(this.#db, version.claims ?? {});
  }

  async #relabel(entry: KnownEntry, claimSet: number): Promise<void> {
    if (entry.claim_set_id === claimSet) return;
    this.changed = true;
    const labels = { claim_set_id: claimSet, updated_at: this.#target.now };
    await this.#db.updateTable('entry').set(labels).where('id', '=', entry.id).execute();
    await this.#db.updateTable('entry_version').set(labels).where('entry_id', '=', entry.id).execute();
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
    known: ReadonlyMap<number, ReadonlyMap<string, KnownVersion>>,
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
      if (before?.content_hash !== version.contentHash) rows.set(key, this.#rowOf(version, entry.id, before));
    }
    return [...rows.values()];
  }

  #rowOf(version: PreparedVersion, entryId: number, before: KnownVersion | undefined): VersionRow {
    const { sourceId, now } = this.#target;
    const publishedAt = before?.published_at ?? now;
    return {
      entry_id: entryId,
      source_id: sourceId,
      type: version.type,
      name: version.name,
      version: version.version,
      claim_set_id: 0,
      is_latest: 0,
      status: version.status,
      status_message: null,
      status_changed_at: before?.status === version.status ? before.status_changed_at : now,
      published_at: publishedAt,
      updated_at: now,
      order_key: versionOrderKey(version.version, publishedAt),
      search_text: version.searchText,
      content_hash: version.contentHash,
      document: version.document,
    };
  }

  /** Decides which version of each touched entry is the latest, and takes the flag from the one that was. */
  async #moveLatest(
    rows: VersionRow[],
    known: ReadonlyMap<number, ReadonlyMap<string, KnownVersion>>,
  ): Promise<void> {
    const byEntry = Map.groupBy(rows, (row) => row.entry_id);
    const demoted: number[] = [];
    const promoted: number[] = [];
    for (const [entryId, written] of byEntry) {
      const replaced = new Set(written.map((row) => row.version));
      const kept = [...(known.get(entryId)?.values() ?? [])].filter((row) => !replaced.has(row.version));
      const latest = highestVersion<VersionRow | KnownVersion>([...written, ...kept]);
      for (const row of written) row.is_latest = row === latest ? 1 : 0;
      for (const row of kept) {
        if (row.is_latest === 1 && row !== latest) demoted.push(row.id);
        if (row.is_latest === 0 && row === latest) promoted.push(row.id);
      }
    }
    const flag = (ids: readonly number[], is_latest: 0 | 1) =>
      this.#db.updateTable('entry_version').set({ is_latest }).where('id', 'in', ids).execute();
    if (demoted.length > 0) await flag(demoted, 0);
    if (promoted.length > 0) await flag(promoted, 1);
  }

  async #upsert(rows: readonly VersionRow[]): Promise<void> {
    const { claimSetId: own } = this.#target;
    const classes = own === undefined ? await this.#classesOf(rows) : undefined;
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

  async #classesOf(rows: readonly VersionRow[]): Promise<Map<number, number>> {
    const ids = [...new Set(rows.map((row) => row.entry_id))];
    const found = await this.#db
      .selectFrom('entry')
      .select(['id', 'claim_set_id'])
      .where('id', 'in', ids)
      .execute();
    return new Map(found.map((row) => [row.id, row.claim_set_id]));
  }
}

type VersionRow = { -readonly [K in keyof Omit<EntryVersionTable, 'id'>]: EntryVersionTable[K] };

function keyOf(entry: { readonly type: EntryType; readonly name: string }): string {
  return `${entry.type} ${entry.name}`;
}
