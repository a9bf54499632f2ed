import type { Kysely } from 'kysely';
import type { VersionAddress } from '../../preparation/prepare-version.ts';
import type { Database } from '../../store/database-schema.ts';
import { highestVersion } from '../../store/latest-version.ts';
import { isScopeOver, type ScopesSeen } from '../scopes-seen.ts';
import { keyOf } from './source-entries.ts';
import { storedVersions } from './stored-versions.ts';
import type { WriteTarget } from './write-target.ts';

export interface Removal extends Omit<VersionAddress, 'version'> {
  /** Version to remove. Undefined removes all versions of the name. */
  readonly version?: string | undefined;
  /** Limits the removal to versions from this part. */
  readonly scope?: string | undefined;
}

/** Maximum number of rows in one statement, within the parameter limits of both engines. */
const CHUNK = 500;

/** Number of rows that are scanned at once for removed ones. */
const PAGE = 5000;

/** Removes versions of a source. Use it inside a transaction. */
export class VersionRemoval {
  readonly #db: Kysely<Database>;
  readonly #target: WriteTarget;
  #versions = 0;
  #entries = 0;

  constructor(db: Kysely<Database>, target: WriteTarget) {
    this.#db = db;
    this.#target = target;
  }

  get changed(): boolean {
    return this.#versions > 0;
  }

  get counts(): { readonly versions: number; readonly entries: number } {
    return { versions: this.#versions, entries: this.#entries };
  }

  /** Removes the named versions, and entries without versions. */
  async named(removals: readonly Removal[]): Promise<void> {
    // PostgreSQL rejects strings with U+0000, so no such name is stored.
    const storable = removals.filter(({ name }) => !name.includes('\0'));
    for (let at = 0; at < storable.length; at += CHUNK) {
      const some = storable.slice(at, at + CHUNK);
      const removalsByKey = Map.groupBy(some, (removal) => keyOf(removal));
      const rows = await this.#db
        .selectFrom('entry_version')
        .select(['id', 'type', 'name', 'version', 'scope'])
        .where('source_id', '=', this.#target.sourceId)
        .where('type', 'in', [...new Set(some.map(({ type }) => type))])
        .where('name', 'in', [...new Set(some.map(({ name }) => name))])
        .execute();
      const gone = rows.filter((row) =>
        removalsByKey
          .get(keyOf(row))
          ?.some(
            ({ version = row.version, scope = row.scope }) => version === row.version && scope === row.scope,
          ),
      );
      await this.#remove(gone.map(({ id }) => id));
    }
  }

  /** Removes versions that the read did not report, and entries without versions. */
  async unseen(seen: ReadonlySet<number>, scopes: ScopesSeen | undefined): Promise<void> {
    // When only some parts can have lost versions, only their rows are scanned.
    const only = scopes !== undefined && scopes.all === undefined ? [...scopes.complete] : undefined;
    for (let at = 0; at < (only?.length ?? 1); at += CHUNK) {
      await this.#unseenOf(seen, scopes, only?.slice(at, at + CHUNK));
    }
  }

  async #unseenOf(
    seen: ReadonlySet<number>,
    scopes: ScopesSeen | undefined,
    only: readonly string[] | undefined,
  ): Promise<void> {
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
      const gone = page.filter(({ id, scope }) => !seen.has(id) && isOver(scope));
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
    const removed = await this.#db
      .deleteFrom('entry_version')
      .where('id', 'in', ids)
      .returning('entry_id')
      .execute();
    this.#versions += removed.length;
    const entryIds = [...new Set(removed.map((row) => row.entry_id))];
    const left = await storedVersions(this.#db, entryIds);
    const empty = entryIds.filter((id) => !left.has(id));
    this.#entries += empty.length;
    if (empty.length > 0) await this.#db.deleteFrom('entry').where('id', 'in', empty).execute();
    const latest = [...left.values()].map((versions) => highestVersion([...versions.values()])?.id ?? 0);
    if (latest.length > 0) {
      await this.#db.updateTable('entry_version').set({ is_latest: 1 }).where('id', 'in', latest).execute();
    }
  }
}
