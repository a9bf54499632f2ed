import { versionOrderKey } from '@portolan/entry-format';
import type { EntryType, JsonObject, ResourceClaims } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { claimsDifferFromFirstVersion, documentInvalid, sourceNotManaged, versionExists } from '../errors.ts';
import { claimSetId } from '../store/claim-sets.ts';
import type { Database } from '../store/database-schema.ts';
import { markChanged } from '../store/epoch.ts';
import { highestVersion } from '../store/latest-version.ts';
import type { Store } from '../store/open-store.ts';
import { prepareForPublish } from '../sync/prepare-version.ts';
import type { PreparedVersion } from '../sync/prepared-version.ts';
import { countVersions } from '../sync/sync-status.ts';

export interface VersionToPublish {
  /** Name of a source that takes publications. */
  readonly source: string;
  readonly type: EntryType;
  readonly document: JsonObject;
  readonly claims: ResourceClaims;
}

/**
 * Stores a version in a managed source, and moves `latest` when it is higher.
 * When it returns, the version is committed. Versions are immutable, and all
 * versions of an entry carry the same claims. Throws ERR_DOCUMENT_INVALID,
 * ERR_SOURCE_NOT_MANAGED, ERR_CLAIMS_DIFFER or ERR_VERSION_EXISTS, and has then
 * changed nothing. Of two at the same time exactly one wins, on any replica.
 */
export async function publishVersion(
  store: Store,
  request: VersionToPublish,
  options: { readonly now: Date; readonly maxMetaSize: number },
): Promise<void> {
  const now = options.now.toISOString();
  const prepared = prepareForPublish(request, { maxMetaSize: options.maxMetaSize, now });
  if ('problems' in prepared) throw documentInvalid(prepared.problems);
  await store.writing.transaction().execute(async (db) => {
    const source = await db
      .selectFrom('source')
      .select('id')
      .where('name', '=', request.source)
      .where('claims_from', '=', 'publisher')
      .executeTakeFirst();
    if (source === undefined) throw sourceNotManaged(request.source);
    const entryId = await lockEntry(
      db,
      source.id,
      prepared.version,
      await claimSetId(db, request.claims),
      now,
    );
    await insertVersion(db, { sourceId: source.id, entryId, version: prepared.version, now });
    await db
      .updateTable('sync_status')
      .set(await countVersions(db, source.id))
      .where('source_id', '=', source.id)
      .execute();
    await markChanged(db, { sourceIds: [source.id] });
  });
}

/** The entry of this name, made when it is new; other publishers of the name wait until the commit. */
async function lockEntry(
  db: Kysely<Database>,
  sourceId: number,
  version: PreparedVersion,
  claimSet: number,
  now: string,
): Promise<number> {
  const { type, name } = version;
  const entry = await db
    .insertInto('entry')
    .values({ source_id: sourceId, type, name, claim_set_id: claimSet, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['source_id', 'type', 'name']).doUpdateSet({ updated_at: now }),
    )
    .returning(['id', 'claim_set_id'])
    .executeTakeFirstOrThrow();
  if (entry.claim_set_id !== claimSet) throw claimsDifferFromFirstVersion(name);
  return entry.id;
}

async function insertVersion(
  db: Kysely<Database>,
  what: {
    readonly sourceId: number;
    readonly entryId: number;
    readonly version: PreparedVersion;
    readonly now: string;
  },
): Promise<void> {
  const { sourceId, entryId, version, now } = what;
  const others = await db
    .selectFrom('entry_version')
    .select(['id', 'version', 'status', 'order_key', 'is_latest', 'claim_set_id'])
    .where('entry_id', '=', entryId)
    .execute();
  if (others.some((other) => other.version === version.version))
    throw versionExists(version.name, version.version);
  const order_key = versionOrderKey(version.version, now);
  const newcomer = { status: version.status, order_key };
  const isLatest = highestVersion<typeof newcomer>([...others, newcomer]) === newcomer;
  if (isLatest) {
    await db
      .updateTable('entry_version')
      .set({ is_latest: 0 })
      .where('entry_id', '=', entryId)
      .where('is_latest', '=', 1)
      .execute();
  }
  const { claim_set_id } = await db
    .selectFrom('entry')
    .select('claim_set_id')
    .where('id', '=', entryId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('entry_version')
    .values({
      entry_id: entryId,
      source_id: sourceId,
      type: version.type,
      name: version.name,
      version: version.version,
      claim_set_id,
      is_latest: isLatest ? 1 : 0,
      status: version.status,
      status_message: null,
      status_changed_at: now,
      published_at: now,
      updated_at: now,
      order_key,
      search_text: version.searchText,
      content_hash: version.contentHash,
      document: version.document,
    })
    .execute();
}
