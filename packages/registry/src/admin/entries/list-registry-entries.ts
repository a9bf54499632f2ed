import type { EntryType } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import { type AdminContext, readAtOnce } from '../admin-context.ts';
import { type ListedEntry, selectListedEntries } from './listed-entries.ts';
import { keepFiltered, type ListedVersion, selectListedVersions, STEP } from './listed-versions.ts';
import { parseVersionKey, printVersionKey, type VersionKey } from '../page-key.ts';
import type { Actor, Page, PageQuery, RegistryEntryRecord } from '../registry-admin.ts';
import { requireRegistry } from '../registries.ts';
import { findRegistry } from '../stored-registry.ts';

export async function listRegistryEntries(
  { store }: AdminContext,
  actor: Actor,
  name: string,
  page: PageQuery,
): Promise<Page<RegistryEntryRecord>> {
  const placedVersions: PlacedVersion[] = [];
  const { limit, filter } = page;
  let from = page.after === undefined ? undefined : parseVersionKey(page.after);
  for (;;) {
    const size =
      filter === undefined
        ? limit + 1 - placedVersions.length
        : Math.max(STEP, limit + 1 - placedVersions.length);
    const some = await readAtOnce(store, async (db) => {
      const registry = requireRegistry(await findRegistry(db, name), actor, name);
      const keys = await selectKeys(db, actor, registry.sourceIds, from, size);
      return place(keys, await selectListedVersions(db, idsOf(keys), filter !== undefined));
    });
    const left = new Set(
      await keepFiltered(
        some.map(({ listed }) => listed),
        filter,
      ),
    );
    placedVersions.push(...some.filter(({ listed }) => left.has(listed)));
    const last = some.at(-1);
    if (placedVersions.length > limit || last === undefined || some.length < size)
      return toPage(placedVersions, limit);
    from = last.key;
  }
}

interface VersionKeyRow extends VersionKey {
  readonly id: number;
}

interface PlacedVersion {
  readonly key: VersionKey;
  readonly listed: ListedVersion;
}

function toPage(placedVersions: readonly PlacedVersion[], limit: number): Page<RegistryEntryRecord> {
  const shown = placedVersions.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ key, listed }) => toRecord(listed, key.position)),
    next: placedVersions.length <= limit || last === undefined ? undefined : printVersionKey(last.key),
  };
}

function toRecord(listed: ListedVersion, position: number): RegistryEntryRecord {
  const { type, name, version, title, description, claims, status, createdAt, updatedAt, source } = listed;
  return {
    type,
    name,
    version,
    title,
    description,
    claims,
    status,
    createdAt,
    updatedAt,
    source,
    position,
  };
}

function idsOf(keys: readonly VersionKeyRow[]): readonly number[] {
  return keys.map(({ id }) => id);
}

function place(keys: readonly VersionKeyRow[], listed: readonly ListedVersion[]): readonly PlacedVersion[] {
  const byId = new Map(listed.map((version) => [version.id, version]));
  return keys.flatMap((key) => {
    const version = byId.get(key.id);
    return version === undefined ? [] : [{ key, listed: version }];
  });
}

type PlacedEntry = ListedEntry & { readonly position: number };

/**
 * Where a page of the list starts: after the version of the key, or with the entry itself when the key has no
 * version.
 */
interface VersionWalkPosition {
  readonly type: EntryType;
  readonly name: string;
  readonly position: number;
  readonly orderKey: string | undefined;
}

const ENTRIES = 20;

async function selectKeys(
  db: Kysely<Database>,
  actor: Actor,
  sourceIds: readonly number[],
  after: VersionKey | undefined,
  size: number,
): Promise<readonly VersionKeyRow[]> {
  const keys: VersionKeyRow[] = [];
  let from: VersionWalkPosition | undefined = after;
  for (;;) {
    const step = Math.min(STEP, size - keys.length);
    const entries = await selectEntries(db, actor, sourceIds, from, step);
    for (let at = 0; at < entries.length && keys.length < size; at += ENTRIES) {
      keys.push(...(await selectVersionKeys(db, entries.slice(at, at + ENTRIES), from)));
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < step || keys.length >= size) return keys.slice(0, size);
    from = { type: last.type, name: last.name, position: last.position + 1, orderKey: undefined };
  }
}

/** Reads the next entries of each source by its index and merges them in the order of the list. */
async function selectEntries(
  db: Kysely<Database>,
  actor: Actor,
  sourceIds: readonly number[],
  from: VersionWalkPosition | undefined,
  limit: number,
): Promise<readonly PlacedEntry[]> {
  const placedEntries: PlacedEntry[] = [];
  for (const [position, sourceId] of sourceIds.entries()) {
    const start = from === undefined ? undefined : { key: from, inclusive: position >= from.position };
    const entries = await selectListedEntries(db, actor, sourceId, start, limit);
    for (const entry of entries) placedEntries.push({ ...entry, position });
  }
  return placedEntries.toSorted(compareEntries).slice(0, limit);
}

function compareEntries(a: PlacedEntry, b: PlacedEntry): number {
  return compareBytes(a.type, b.type) || compareBytes(a.name, b.name) || a.position - b.position;
}

/** Both database engines compare names by bytes. */
function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

async function selectVersionKeys(
  db: Kysely<Database>,
  entries: readonly PlacedEntry[],
  from: VersionWalkPosition | undefined,
): Promise<readonly VersionKeyRow[]> {
  if (entries.length === 0) return [];
  const rows = await db
    .selectFrom('entry_version')
    .select(['id', 'entry_id', 'order_key'])
    .where(
      'entry_id',
      'in',
      entries.map(({ id }) => id),
    )
    .execute();
  const byEntry = Map.groupBy(rows, (row) => row.entry_id);
  return entries.flatMap(({ id, type, name, position }) => {
    const own = (byEntry.get(id) ?? []).toSorted((a, b) => compareBytes(b.order_key, a.order_key));
    const isBegun = from?.type === type && from.name === name && from.position === position;
    const last = isBegun ? from.orderKey : undefined;
    const left = last === undefined ? own : own.filter((row) => compareBytes(row.order_key, last) < 0);
    return left.map((row) => ({ id: row.id, type, name, position, orderKey: row.order_key }));
  });
}
