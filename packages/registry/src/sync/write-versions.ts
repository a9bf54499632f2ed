import type { Kysely } from 'kysely';
import type { PreparedVersion } from '../preparation/prepared-version.ts';
import type { VersionAddress } from '../preparation/prepare-version.ts';
import type { Database } from '../store/database-schema.ts';
import { highestVersion } from '../store/latest-version.ts';
import { type FlagsSaid, moveFlags } from './moved-flags.ts';
import { isScopeOver, type ScopesSeen } from './scopes-seen.ts';
import { keyOf, type KnownEntry, SourceEntries } from './source-entries.ts';
import type { SpoolStep } from './spool.ts';
import { storeRemotes } from './storing-remotes.ts';
import { VersionUpsert } from './upsert-versions.ts';
import {
  flagOf,
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

/** Versions that are no more. */
export interface Removal extends Omit<VersionAddress, 'version'> {
  /** undefined: all of the name. */
  readonly version?: string | undefined;
  /** Only where they came from this part. */
  readonly scope?: string | undefined;
}

/** Rows that one statement may touch: both engines take this many parameters. */
const CHUNK = 500;

/** Rows that are looked at in one go to find those that are gone. */
const PAGE = 5000;

/**
 * Makes the versions of a source equal to what it reported: writes what is new
 * or changed, removes what is gone, and leaves the rest alone. With `scopes`, gone
 * is only what they say. Run it inside a transaction.
 */
export async function writeVersions(
  db: Kysely<Database>,
  target: WriteTarget,
  batches: AsyncIterable<readonly PreparedVersion[]>,
  scopes?: ScopesSeen,
): Promise<WriteResult> {
  const writer = new SourceWriter(db, target, 'the first one counts');
  for await (const batch of batches) await writer.write(batch);
  await writer.removeUnseen(scopes);
  return { changed: writer.changed, duplicates: writer.duplicates };
}

/**
 * Changes the versions of a source as it reported, one after the other, and leaves
 * the others alone, but those that `scopes` says are gone. Run it inside a transaction.
 * Throws NameInOtherCase.
 */
export async function writeChanges(
  db: Kysely<Database>,
  target: WriteTarget,
  batches: AsyncIterable<readonly SpoolStep[]>,
  scopes?: ScopesSeen,
): Promise<WriteResult> {
  const writer = new SourceWriter(db, target, 'the last one counts');
  for await (const batch of batches) {
    for (const run of runsOf(batch)) {
      if (run.removals.length > 0) await writer.removeNamed(run.removals);
      if (run.versions.length === 0) continue;
      await writer.write(run.versions);
      await storeRemotes(db, target, run.versions);
    }
  }
  if (scopes !== undefined) await writer.removeUnseen(scopes);
  return { changed: writer.changed, duplicates: [] };
}

interface Run {
  readonly removals: Removal[];
  /** Each of them once; written after the removals. */
  readonly versions: PreparedVersion[];
}

/** As few runs as give the same as one step after the other. */
function runsOf(steps: readonly SpoolStep[]): readonly Run[] {
  const runs: Run[] = [];
  let run: Run = { removals: [], versions: [] };
  let seen = new Set<string>();
  const next = (): void => {
    runs.push(run);
    run = { removals: [], versions: [] };
    seen = new Set();
  };
  for (const step of steps) {
    if ('removal' in step) {
      if (run.versions.length > 0) next();
      run.removals.push(step.removal);
      continue;
    }
    const key = `${keyOf(step.version)} ${step.version.version}`;
    if (seen.has(key)) next();
    seen.add(key);
    run.versions.push(step.version);
  }
  next();
  return runs;
}

class SourceWriter {
  readonly duplicates: string[] = [];
  readonly #db: Kysely<Database>;
  readonly #target: WriteTarget;
  readonly #entries: SourceEntries;
  readonly #upserting: VersionUpsert;
  readonly #twice: 'the first one counts' | 'the last one counts';
  readonly #seen = new Set<number>();
  #changed = false;

  constructor(
    db: Kysely<Database>,
    target: WriteTarget,
    twice: 'the first one counts' | 'the last one counts',
  ) {
    this.#db = db;
    this.#target = target;
    this.#entries = new SourceEntries(db, target, twice === 'the last one counts' ? 'changes' : 'in full');
    this.#upserting = new VersionUpsert(db);
    this.#twice = twice;
  }

  get changed(): boolean {
    return this.#changed || this.#entries.relabelled;
  }

  async write(batch: readonly PreparedVersion[]): Promise<void> {
    const entries = await this.#entries.of(batch);
    const stored = await this.#versionsOf([...entries.values()].map((entry) => entry.id));
    const { rows, flags } = await this.#rowsToWrite(batch, entries, stored);
    const { moved, entryIds, known } = moveFlags(stored, flags);
    for (const [flagged_latest, ids] of moved)
      await this.#db.updateTable('entry_version').set({ flagged_latest }).where('id', 'in', ids).execute();
    await this.#moveLatest(rows, known, entryIds);
    if (rows.length === 0) return;
    this.#changed = true;
    await this.#upsert(rows);
  }

  /** Removes these versions where they are there, and entries without versions. */
  async removeNamed(removals: readonly Removal[]): Promise<void> {
    // PostgreSQL takes no text with this character, so nothing is stored under such a name.
    const storable = removals.filter(({ name }) => !name.includes('\0'));
    for (let at = 0; at < storable.length; at += CHUNK) {
      const some = storable.slice(at, at + CHUNK);
      const wanted = Map.groupBy(some, (removal) => keyOf(removal));
      const rows = await this.#db
        .selectFrom('entry_version')
        .select(['id', 'type', 'name', 'version', 'scope'])
        .where('source_id', '=', this.#target.sourceId)
        .where('type', 'in', [...new Set(some.map(({ type }) => type))])
        .where('name', 'in', [...new Set(some.map(({ name }) => name))])
        .execute();
      const gone = rows.filter((row) =>
        wanted
          .get(keyOf(row))
          ?.some(
            ({ version = row.version, scope = row.scope }) => version === row.version && scope === row.scope,
          ),
      );
      await this.#remove(gone.map(({ id }) => id));
    }
  }

  /** Removes the versions that were not reported, and entries without versions. */
  async removeUnseen(scopes: ScopesSeen | undefined): Promise<void> {
    // Where only some parts can have lost something, only their rows are looked at.
    const only = scopes !== undefined && scopes.all === undefined ? [...scopes.complete] : undefined;
    for (let at = 0; at < (only?.length ?? 1); at += CHUNK) {
      await this.#removeUnseenOf(scopes, only?.slice(at, at + CHUNK));
    }
  }

  async #removeUnseenOf(scopes: ScopesSeen | undefined, only: readonly string[] | undefined): Promise<void> {
    let after = 0;
    for (;;) {
      const page = await this.#db
        .selectFrom('entry_version')
        .select(['id', 'scope'])
        .where('source_id', '=', this.#target.sourceId)
        .where('id', '>', after)
        .$if(only !== undefined, (query) => query.where('scope', 'in', only ?? []))
        .orderBy('id')
        .limit(PAGE)
        .execute();
      const isOver = (scope: string | null): boolean => scopes === undefined || isScopeOver(scopes, scope);
      const gone = page.filter(({ id, scope }) => !this.#seen.has(id) && isOver(scope));
      await this.#remove(gone.map(({ id }) => id));
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  async #remove(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += CHUNK) await this.#removeSome(ids.slice(at, at + CHUNK));
  }

  async #removeSome(ids: readonly number[]): Promise<void> {
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
        'scope',
        'warning_count',
        'flagged_latest',
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

  /**
   * What differs from the stored versions, and what is said of which is the latest;
   * remembers what was seen, and sorts out what came twice.
   */
  async #rowsToWrite(
    batch: readonly PreparedVersion[],
    entries: ReadonlyMap<string, KnownEntry>,
    known: KnownVersions,
  ): Promise<{ readonly rows: readonly VersionRow[]; readonly flags: ReadonlyMap<number, FlagsSaid> }> {
    const rows = new Map<string, VersionRow>();
    const flags = new Map<number, Map<string, 0 | 1 | null>>();
    for (const version of batch) {
      const entry = entries.get(keyOf(version));
      if (entry === undefined) throw new TypeError(`no entry was made for ${version.name}`);
      const before = known.get(entry.id)?.get(version.version);
      const key = `${entry.id} ${version.version}`;
      if (rows.has(key) || (before !== undefined && this.#isTwice(before))) {
        this.duplicates.push(`${version.name}@${version.version}`);
        continue;
      }
      if (before !== undefined) this.#seen.add(before.id);
      const said = flags.get(entry.id) ?? new Map<string, 0 | 1 | null>();
      flags.set(entry.id, said.set(version.version, flagOf(version)));
      if (before?.content_hash !== version.contentHash)
        rows.set(key, versionRow(version, entry.id, before, this.#target));
      else await this.#note(version, before);
    }
    return { rows: [...rows.values()], flags };
  }

  #isTwice(before: KnownVersion): boolean {
    return this.#twice === 'the first one counts' && this.#seen.has(before.id);
  }

  /** Keeps where an unchanged version comes from, and its warnings: nobody who reads entries sees either. */
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

  /** Gives the flag to the latest version of each touched entry, and takes it from the one that was. */
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

  async #upsert(rows: readonly VersionRow[]): Promise<void> {
    const { claimSetId: own } = this.#target;
    const entryIds = [...new Set(rows.map((row) => row.entry_id))];
    const classes = own === undefined ? await this.#entries.classesOf(entryIds) : undefined;
    const values = rows.map((row) => ({ ...row, claim_set_id: own ?? classes?.get(row.entry_id) ?? 0 }));
    for (const id of await this.#upserting.store(values)) this.#seen.add(id);
  }
}
