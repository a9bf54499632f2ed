import { variantOf } from '@portolan/kernel';
import type { Kysely } from 'kysely';
import { kindChanged, madeByFile, sourceInUse, sourceNotFound, sourceNotSynced } from './admin-errors.ts';
import { adminWrite } from '../store/admin-write.ts';
import { claimSetId, parseClaims } from '../store/claim-sets.ts';
import type { Database, EntryVersionTable } from '../store/database-schema.ts';
import type { EngineName } from '../store/engine.ts';
import { markChanged } from '../store/epoch.ts';
import { newRevision } from '../store/revision.ts';
import {
  differs,
  insertSource,
  lockSources,
  relabelEntries,
  SOURCE_COLUMNS,
  type SourceColumns,
  storedInterval,
  updateSource,
} from '../store/source-rows.ts';
import { type AdminContext, readAtOnce } from './admin-context.ts';
import { maySee } from './actor-decisions.ts';
import { judgePut } from './judge-put.ts';
import type { Actor, SyncRequest, Unusable, WriteOptions } from './registry-admin.ts';
import type { SourceDefinition, SourceToStore, StoredSource } from './admin-definitions.ts';
import { requireRevision } from './require-revision.ts';
import { findSource, selectSources } from './stored-source.ts';
import { describeEntry, printIssues } from '@portolan/entry-format';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { EntryWarning } from '../store/sync-status.ts';
import { OwnTurns } from '../preparation/own-turns.ts';

/** Maximum number of warnings that are returned with their text. The count includes all. */
const MAX_SHOWN = 100;

type Suspect = Pick<EntryVersionTable, 'type' | 'name' | 'version' | 'document' | 'updated_at'>;

async function suspectsOf(db: Kysely<Database>, sourceId: number): Promise<readonly Suspect[]> {
  return await db
    .selectFrom('entry_version')
    .select(['type', 'name', 'version', 'document', 'updated_at'])
    .where('source_id', '=', sourceId)
    .where('warning_count', '>', 0)
    .orderBy('type')
    .orderBy('name')
    .orderBy('order_key')
    .limit(MAX_SHOWN)
    .execute();
}

/**
 * Returns the warnings about a source's entries. Warnings are not stored, so it validates the entries again,
 * in slices that let other requests proceed.
 */
async function sourceWarnings(
  suspects: readonly Suspect[],
  { maxMetaSize, transports }: DocumentRules,
): Promise<readonly EntryWarning[]> {
  const entryWarnings: EntryWarning[] = [];
  const turns = new OwnTurns();
  for (const { type, name, version, document, updated_at: publishedAt } of suspects) {
    const described = describeEntry({ type, document: JSON.parse(document) as unknown }, 'sync', {
      publishedAt,
      maxMetadataBytes: maxMetaSize,
      transports,
    });
    const entry = `${type} ${name}@${version}`;
    entryWarnings.push(...described.issues.map((issue) => ({ entry, warning: printIssues([issue]) })));
    await turns.next();
  }
  return entryWarnings.slice(0, MAX_SHOWN);
}

export async function listSources({ store }: AdminContext, actor: Actor): Promise<readonly StoredSource[]> {
  const sources = await readAtOnce(store, selectSources);
  return sources.filter((source) => maySee(actor, source));
}

export async function getSource(
  { store, ...rules }: AdminContext,
  actor: Actor,
  name: string,
): Promise<StoredSource> {
  const { source, suspects } = await readAtOnce(store, async (db) => {
    const stored = requireSource(await findSource(db, name), actor, name);
    const { warningCount } = stored.status;
    return { source: stored, suspects: warningCount === 0 ? [] : await suspectsOf(db, stored.id) };
  });
  if (suspects.length === 0) return source;
  // Outside the shared read: concurrent readers would wait until every warning is computed.
  const warnings = await sourceWarnings(suspects, rules);
  return { ...source, status: { ...source.status, warnings } };
}

export async function putSource(
  { store, clock, changed }: AdminContext,
  actor: Actor,
  name: string,
  definition: SourceToStore,
  options: WriteOptions = {},
): Promise<{ readonly created: boolean; readonly source: StoredSource }> {
  const result = await adminWrite(
    store,
    async (db) => {
      const before = await findSource(db, name);
      judgePut(actor, { what: 'source', name, claims: definition.claims }, before, {}, options);
      if (before !== undefined) requireSameKind(before, definition);
      await storeSource(db, store.engine, { name, before, definition, now: clock().toISOString() });
      const source = await findSource(db, name);
      if (source === undefined) throw new TypeError(`the source "${name}" was not stored`);
      return { created: before === undefined, source };
    },
    options,
  );
  changed?.({ what: 'source', name });
  return result;
}

export async function refuseSource(
  { store }: AdminContext,
  actor: Actor,
  name: string,
  { fault, claims }: Unusable<Pick<SourceToStore, 'claims'>>,
  options: WriteOptions = {},
): Promise<never> {
  const before = await readAtOnce(store, (db) => findSource(db, name));
  const ofDefinition = [{ path: '', error: fault }];
  judgePut(actor, { what: 'source', name, claims }, before, { ofDefinition }, options);
  throw fault;
}

export async function deleteSource(
  { store, changed }: AdminContext,
  actor: Actor,
  name: string,
  options: WriteOptions = {},
): Promise<void> {
  await adminWrite(
    store,
    async (db) => {
      const source = requireSource(await findSource(db, name), actor, name);
      if (source.creationType === 'CONFIG') throw madeByFile('source', name);
      requireRevision(source.revision, `The source "${name}"`, options);
      await refuseUsed(db, actor, source);
      await lockSources(db, store.engine, [source.id]);
      await db.deleteFrom('source').where('id', '=', source.id).execute();
      await markChanged(db, { sourceIds: [] });
    },
    options,
  );
  changed?.({ what: 'source', name });
}

export async function requestSync(
  { store, changed }: AdminContext,
  actor: Actor,
  name: string,
  { full = false, acceptRemovals = false }: SyncRequest = {},
): Promise<void> {
  await adminWrite(store, async (db) => {
    const source = requireSource(await findSource(db, name), actor, name);
    if (source.claimsFrom === 'publisher') throw sourceNotSynced(name);
    await db
      .updateTable('sync_status')
      .set({
        due_at_ms: 0,
        ...(full ? { full_request: newRevision() } : {}),
        ...(acceptRemovals ? { accept_request: newRevision() } : {}),
      })
      .where('source_id', '=', source.id)
      .execute();
  });
  changed?.({ what: 'sync', name });
}

/** Returns the source. Throws ERR_SOURCE_NOT_FOUND when it is absent or hidden from the actor. */
export function requireSource(source: StoredSource | undefined, actor: Actor, name: string): StoredSource {
  if (source === undefined || !maySee(actor, source)) throw sourceNotFound(name);
  return source;
}

async function storeSource(
  db: Kysely<Database>,
  engine: EngineName,
  what: {
    readonly name: string;
    readonly before: StoredSource | undefined;
    readonly definition: SourceDefinition;
    readonly now: string;
  },
): Promise<void> {
  const { name, before, definition, now } = what;
  const columns = await columnsOf(db, definition);
  if (before === undefined) {
    await insertSource(db, name, columns, now);
    await markChanged(db, { sourceIds: [] });
    return;
  }
  await lockSources(db, engine, [before.id]);
  const row = await db
    .selectFrom('source')
    .select(SOURCE_COLUMNS)
    .where('id', '=', before.id)
    .executeTakeFirstOrThrow();
  if (!differs(row, columns)) return;
  await updateSource(db, row, columns, now);
  if (columns.claims_from === 'source') await relabelEntries(db, row.id, columns.claim_set_id, now);
  await markChanged(db, { sourceIds: [row.id] });
}

async function columnsOf(db: Kysely<Database>, definition: SourceDefinition): Promise<SourceColumns> {
  const { kind, claimsFrom, block, filter, intervalMs, allowShrink, claims } = definition;
  return {
    kind,
    creation_type: 'API',
    block: JSON.stringify(block),
    filter: filter === undefined ? null : JSON.stringify(filter),
    interval_ms: storedInterval(intervalMs),
    allow_shrink: allowShrink === true ? 1 : 0,
    claims_from: claimsFrom,
    claim_set_id: await claimSetId(db, claims),
  };
}

/** Throws ERR_KIND_CHANGED, so that entries of one kind never pass for entries of another. */
function requireSameKind(before: StoredSource, after: SourceToStore): void {
  const { variants = [] } = after;
  const [was, becomes] = [wayOf(before, before.kind === after.kind ? variants : []), wayOf(after, variants)];
  if (was !== becomes) throw kindChanged(before.name, was, becomes);
}

function wayOf({ kind, block }: SourceDefinition, variants: NonNullable<SourceToStore['variants']>): string {
  const variant = variantOf({ type: 'object', oneOfKeys: variants }, block);
  return variant === '' ? kind : `${kind} (${variant})`;
}

/**
 * Throws ERR_SOURCE_IN_USE when a registry lists the source. Names only registries that the actor may see.
 */
async function refuseUsed(db: Kysely<Database>, actor: Actor, source: StoredSource): Promise<void> {
  const registries = await db
    .selectFrom('registry_source as link')
    .innerJoin('registry', 'registry.id', 'link.registry_id')
    .innerJoin('claim_set', 'claim_set.id', 'registry.claim_set_id')
    .select(['registry.name', 'claim_set.canonical'])
    .where('link.source_id', '=', source.id)
    .orderBy('registry.name')
    .execute();
  if (registries.length === 0) return;
  const seen = registries.filter(({ canonical }) => maySee(actor, { claims: parseClaims(canonical) }));
  throw sourceInUse(
    source.name,
    seen.map(({ name }) => name),
  );
}
