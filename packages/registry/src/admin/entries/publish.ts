import { versionOrderKey } from '@portolan/entry-format';
import type { EntryType, ResourceClaims } from '@portolan/plugin-api';
import { type Kysely, sql } from 'kysely';
import { claimsDifferFromEntry, nameTaken, tooManyVersions, versionExists } from '../admin-errors.ts';
import type { VersionRow } from '../../read/registry-reader.ts';
import { adminWrite } from '../../store/admin-write.ts';
import { claimSetId, parseClaims, UNLABELLED } from '../../store/claim-sets.ts';
import type { Database } from '../../store/database-schema.ts';
import { markChanged } from '../../store/epoch.ts';
import { highestVersion } from '../../store/latest-version.ts';
import { newRevision } from '../../store/revision.ts';
import { replaceRemotes } from '../../store/server-remotes.ts';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import { maySee } from '../actor-decisions.ts';
import type { AdminContext } from '../admin-context.ts';
import { adjustCounts } from './entry-counts.ts';
import { relabelEntry } from './entry-claims.ts';
import { judgePublication, requireNoErrors } from './judge-publication.ts';
import { chooseManagedSource, type ManagedSource } from '../managed-source.ts';
import { selectVersionRows } from './managed-versions.ts';
import type { Actor, Publication, PublishOptions, WriteOptions } from '../registry-admin.ts';
import { requireRevision } from '../require-revision.ts';
import { findRemoteIssues } from './validate.ts';

/** Maximum number of versions of one entry (MCP registry, validation rules). */
const MAX_VERSIONS = 10_000;

/**
 * Implements `RegistryAdmin.publish`. When two publishers race for the same version, on any replicas, exactly
 * one succeeds.
 */
export async function publish(
  { store, clock, maxMetaSize, transports, changed }: AdminContext,
  actor: Actor,
  publication: Publication,
  options: PublishOptions = {},
): Promise<VersionRow> {
  // The hook `beforePublish` may have changed the document.
  const { checked, version, claims } = judgePublication(actor, publication, {
    maxMetaSize,
    transports,
    now: clock(),
  });
  const row = await adminWrite(
    store,
    async (db) => {
      requireNoErrors(checked, await findRemoteIssues(db, store.engine, actor, checked));
      const source = await chooseManagedSource(db, actor, publication.source);
      const now = clock().toISOString();
      const entry = await takeEntry(db, actor, { source, version, claims, now, options });
      const id = await insertVersion(db, source, entry.id, version, now);
      await replaceRemotes(db, [{ id, remotes: version.remotes ?? [] }]);
      await adjustCounts(db, source.id, { type: version.type, entries: entry.isNew ? 1 : 0, versions: 1 });
      await markChanged(db, { sourceIds: [source.id] });
      return (await selectVersionRows(db, [id]))[0];
    },
    options,
  );
  if (row === undefined)
    throw new TypeError(`the version ${version.version} of ${version.name} was not stored`);
  if (options.dryRun !== true) changed?.({ what: 'entries', name: row.source });
  return row;
}

interface RequestedEntry {
  readonly source: ManagedSource;
  readonly version: PreparedVersion;
  /** Undefined keeps the claims of the entry; a new entry then has none. */
  readonly claims: ResourceClaims | undefined;
  readonly now: string;
  readonly options: WriteOptions;
}

interface TakenEntry {
  readonly id: number;
  readonly isNew: boolean;
}

/**
 * Returns or creates the entry. Throws ERR_CLAIMS_DIFFER unless the actor may relabel it, and
 * ERR_ENTRY_NAME_TAKEN when the actor may not see it.
 */
async function takeEntry(db: Kysely<Database>, actor: Actor, requested: RequestedEntry): Promise<TakenEntry> {
  const { source, version, claims, now, options } = requested;
  const { type, name } = version;
  const entry = await findEntry(db, source.id, type, name);
  const claimSet = claims === undefined ? (entry?.claim_set_id ?? UNLABELLED) : await claimSetId(db, claims);
  const current = entry === undefined ? {} : parseClaims(entry.canonical);
  if (entry !== undefined && !maySee(actor, { claims: current })) throw nameTaken();
  const differs = entry !== undefined && entry.claim_set_id !== claimSet;
  if (differs && !actor.policy.mayRelabel(actor.caller)) throw claimsDifferFromEntry(version, current);
  requireRevision(entry?.revision, `The entry "${name}"`, options);
  if (entry === undefined)
    return { id: await insertEntry(db, source.id, version, claimSet, now), isNew: true };
  if (differs) await relabelEntry(db, entry.id, claimSet, now);
  else await db.updateTable('entry').set({ updated_at: now }).where('id', '=', entry.id).execute();
  return { id: entry.id, isNew: false };
}

function findEntry(db: Kysely<Database>, sourceId: number, type: EntryType, name: string) {
  return db
    .selectFrom('entry')
    .innerJoin('claim_set', 'claim_set.id', 'entry.claim_set_id')
    .select(['entry.id', 'claim_set_id', 'revision', 'claim_set.canonical'])
    .where('source_id', '=', sourceId)
    .where('type', '=', type)
    .where('name', '=', name)
    .executeTakeFirst();
}

async function insertEntry(
  db: Kysely<Database>,
  sourceId: number,
  { type, name }: PreparedVersion,
  claimSet: number,
  now: string,
): Promise<number> {
  const { id } = await db
    .insertInto('entry')
    .values({
      source_id: sourceId,
      type,
      name,
      claim_set_id: claimSet,
      revision: newRevision(),
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Inserts a version and returns its id. Stored versions are immutable. */
async function insertVersion(
  db: Kysely<Database>,
  source: ManagedSource,
  entryId: number,
  version: PreparedVersion,
  now: string,
): Promise<number> {
  const others = await db
    .selectFrom('entry_version')
    .select(['version', 'status', 'order_key'])
    .where('entry_id', '=', entryId)
    .execute();
  if (others.some((other) => other.version === version.version))
    throw versionExists(version.name, version.version);
  if (others.length >= MAX_VERSIONS) throw tooManyVersions(version.name, MAX_VERSIONS);
  const newcomer = {
    status: version.status,
    order_key: versionOrderKey(version.version, now, version.document),
  };
  const isLatest = highestVersion<typeof newcomer>([...others, newcomer]) === newcomer;
  if (isLatest) {
    await db
      .updateTable('entry_version')
      .set({ is_latest: 0 })
      .where('entry_id', '=', entryId)
      .where('is_latest', '=', 1)
      .execute();
  }
  const { id } = await db
    .insertInto('entry_version')
    .values({
      entry_id: entryId,
      source_id: source.id,
      type: version.type,
      name: version.name,
      version: version.version,
      claim_set_id: sql`(select claim_set_id from entry where id = ${entryId})`,
      is_latest: isLatest ? 1 : 0,
      status: version.status,
      status_message: null,
      status_changed_at: now,
      published_at: now,
      updated_at: now,
      carried_updated_at: null,
      flagged_latest: null,
      origin: null,
      order_key: newcomer.order_key,
      search_text: version.searchText,
      content_hash: version.contentHash,
      document: version.document,
      warning_count: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
