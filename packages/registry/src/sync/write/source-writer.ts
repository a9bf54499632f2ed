import type { Kysely } from 'kysely';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import type { Database } from '../../store/database-schema.ts';
import { replaceRemotes } from '../../store/server-remotes.ts';
import { keyOf, type KnownEntry, SourceEntries } from './source-entries.ts';
import { storedVersions } from './stored-versions.ts';
import { type StoredVersion, VersionUpsert } from './upsert-versions.ts';
import {
  flagOf,
  type KnownVersion,
  type KnownVersions,
  moveLatest,
  type VersionRow,
  versionRow,
} from './version-row.ts';
import type { WriteTarget } from './write-target.ts';

export type Twice = 'the first one counts' | 'the last one counts';

interface RowsToWrite {
  readonly rows: readonly VersionRow[];
  /** Hashes of each version's remote addresses, by `versionKey`. */
  readonly remotes: ReadonlyMap<string, readonly string[]>;
  readonly flags: ReadonlyMap<number, ReportedFlags>;
}

/** Writes the versions of a source. Use it inside a transaction. */
export class SourceWriter {
  readonly duplicates: string[] = [];
  readonly #db: Kysely<Database>;
  readonly #target: WriteTarget;
  readonly #entries: SourceEntries;
  readonly #upserting: VersionUpsert;
  readonly #twice: Twice;
  readonly #read: 'changes' | 'in full';
  readonly #seen = new Set<number>();
  #changed = false;
  #added = 0;
  #replaced = 0;

  constructor(db: Kysely<Database>, target: WriteTarget, twice: Twice) {
    this.#db = db;
    this.#target = target;
    this.#read = twice === 'the last one counts' ? 'changes' : 'in full';
    this.#entries = new SourceEntries(db, target, this.#read);
    this.#upserting = new VersionUpsert(db, target.statementRows);
    this.#twice = twice;
  }

  get seen(): ReadonlySet<number> {
    return this.#seen;
  }

  /** Number of new versions, changed versions and new entries. */
  get counts(): { readonly added: number; readonly changed: number; readonly entriesMade: number } {
    return { added: this.#added, changed: this.#replaced, entriesMade: this.#entries.made };
  }

  get changed(): boolean {
    return this.#changed || this.#entries.relabelled;
  }

  async write(batch: readonly PreparedVersion[]): Promise<void> {
    const entries = await this.#entries.of(batch);
    const stored = await storedVersions(
      this.#db,
      [...entries.values()].map((entry) => entry.id),
    );
    const { rows, flags, remotes } = await this.#rowsToWrite(batch, entries, stored);
    const { moved, entryIds, known } = moveFlags(stored, flags, this.#read);
    for (const [flagged_latest, ids] of moved)
      await this.#db.updateTable('entry_version').set({ flagged_latest }).where('id', 'in', ids).execute();
    await this.#moveLatest(rows, known, entryIds);
    if (rows.length === 0) return;
    this.#changed = true;
    const written = await this.#upsert(rows);
    await replaceRemotes(
      this.#db,
      written.flatMap((row) => {
        const remoteUrls = remotes.get(versionKey(row));
        return remoteUrls === undefined ? [] : [{ id: row.id, remotes: remoteUrls }];
      }),
    );
  }

  /**
   * Returns the versions whose row differs from the stored one. Records the ids of all reported versions and
   * drops duplicates.
   */
  async #rowsToWrite(
    batch: readonly PreparedVersion[],
    entries: ReadonlyMap<string, KnownEntry>,
    known: KnownVersions,
  ): Promise<RowsToWrite> {
    const rows = new Map<string, VersionRow>();
    const remotes = new Map<string, readonly string[]>();
    const flags = new Map<number, Map<string, 0 | 1 | null>>();
    for (const version of batch) {
      const entry = entries.get(keyOf(version));
      if (entry === undefined) throw new TypeError(`no entry was stored for ${version.name}`);
      const before = known.get(entry.id)?.get(version.version);
      const key = versionKey({ entry_id: entry.id, version: version.version });
      if (rows.has(key) || (before !== undefined && this.#isTwice(before))) {
        this.duplicates.push(`${version.name}@${version.version}`);
        continue;
      }
      if (before !== undefined) this.#seen.add(before.id);
      const flag = flags.get(entry.id) ?? new Map<string, 0 | 1 | null>();
      flags.set(entry.id, flag.set(version.version, flagOf(version)));
      if (before?.content_hash === version.contentHash) {
        await this.#note(version, before);
        continue;
      }
      if (before === undefined) this.#added += 1;
      else this.#replaced += 1;
      rows.set(key, versionRow(version, entry.id, before, this.#target));
      if (version.type === 'server') remotes.set(key, version.remotes ?? []);
    }
    return { rows: [...rows.values()], remotes, flags };
  }

  #isTwice(before: KnownVersion): boolean {
    return this.#twice === 'the first one counts' && this.#seen.has(before.id);
  }

  /**
   * Updates origin and number of warnings of an otherwise unchanged version. Readers of entries see neither,
   * so this does not count as a change.
   */
  async #note(version: PreparedVersion, before: KnownVersion): Promise<void> {
    const { warnings } = version;
    const scope = version.scope ?? null;
    if (before.scope === scope && before.warning_count === warnings) return;
    await this.#db
      .updateTable('entry_version')
      .set({ scope, warning_count: warnings })
      .where('id', '=', before.id)
      .execute();
  }

  /** Sets the flag on the latest version of each touched entry, and clears it on the previous one. */
  async #moveLatest(
    rows: readonly VersionRow[],
    known: KnownVersions,
    entryIds: readonly number[],
  ): Promise<void> {
    const { demoted, promoted } = moveLatest(rows, known, entryIds);
    if (demoted.length > 0 || promoted.length > 0) this.#changed = true;
    const flag = (ids: readonly number[], is_latest: 0 | 1) =>
      this.#db.updateTable('entry_version').set({ is_latest }).where('id', 'in', ids).execute();
    if (demoted.length > 0) await flag(demoted, 0);
    if (promoted.length > 0) await flag(promoted, 1);
  }

  async #upsert(rows: readonly VersionRow[]): Promise<readonly StoredVersion[]> {
    const { claimSetId: own } = this.#target;
    const entryIds = [...new Set(rows.map((row) => row.entry_id))];
    const classes = own === undefined ? await this.#entries.classesOf(entryIds) : undefined;
    const values = rows.map((row) => ({ ...row, claim_set_id: own ?? classes?.get(row.entry_id) ?? 0 }));
    const written = await this.#upserting.store(values);
    for (const { id } of written) this.#seen.add(id);
    return written;
  }
}

/** Returns the key of a version within its source. */
function versionKey({ entry_id, version }: Pick<VersionRow, 'entry_id' | 'version'>): string {
  return `${entry_id} ${version}`;
}

/** Whether another registry reports a version as the latest, by version; null when it reports nothing. */
type ReportedFlags = ReadonlyMap<string, 0 | 1 | null>;

interface MovedFlags {
  /** Ids of the changed versions, by their new flag. */
  readonly moved: ReadonlyMap<0 | 1 | null, readonly number[]>;
  readonly entryIds: readonly number[];
  readonly known: KnownVersions;
}

/**
 * Updates which stored versions another registry reports as the latest. In a read of changes, a version that
 * gains the flag takes it from others, which the changes do not mention. A full read reports every version,
 * in batches.
 */
function moveFlags(
  known: KnownVersions,
  messages: ReadonlyMap<number, ReportedFlags>,
  read: 'changes' | 'in full',
): MovedFlags {
  const moved = new Map<0 | 1 | null, number[]>();
  const entryIds: number[] = [];
  const after = new Map(known);
  for (const [entryId, flags] of messages) {
    const before = known.get(entryId);
    if (before === undefined) continue;
    const isTaken = read === 'changes' && [...flags.values()].includes(1);
    const versions = new Map<string, KnownVersion>();
    let isMoved = false;
    for (const [version, row] of before) {
      const latestFlag = isTaken && row.flagged_latest === 1 ? 0 : row.flagged_latest;
      const report = flags.get(version);
      const flag = report === undefined ? latestFlag : report;
      versions.set(version, flag === row.flagged_latest ? row : { ...row, flagged_latest: flag });
      if (flag === row.flagged_latest) continue;
      isMoved = true;
      moved.set(flag, [...(moved.get(flag) ?? []), row.id]);
    }
    if (!isMoved) continue;
    entryIds.push(entryId);
    after.set(entryId, versions);
  }
  return { moved, entryIds, known: after };
}
