import type { EntryStatus, EntryType } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import { entryNotFound, statusInvalid, statusUnchanged } from '../admin-errors.ts';
import type { VersionRow } from '../../read/registry-reader.ts';
import { adminWrite } from '../../store/admin-write.ts';
import type { Database } from '../../store/database-schema.ts';
import { markChanged } from '../../store/epoch.ts';
import type { AdminContext } from '../admin-context.ts';
import { findManagedEntry } from './managed-entry.ts';
import { moveLatest, selectVersionRows } from './managed-versions.ts';
import type { Actor, EntryAddress, StatusChange, WriteOptions } from '../registry-admin.ts';
import { requireRevision } from '../require-revision.ts';

/** Maximum length of a status message, in characters (MCP registry API). */
const MAX_MESSAGE_LENGTH = 500;

/** Maximum number of parameters in one statement, within the limits of both engines. */
const CHUNK = 500;

const STATUSES: Readonly<Record<EntryType, readonly EntryStatus[]>> = {
  server: ['active', 'deprecated', 'deleted'],
  skill: ['active', 'deprecated', 'archived', 'deleted'],
  plugin: ['active', 'deprecated', 'archived', 'deleted'],
};

export async function setStatus(
  { store, clock, changed }: AdminContext,
  actor: Actor,
  address: EntryAddress,
  change: StatusChange,
  options: WriteOptions = {},
): Promise<readonly VersionRow[]> {
  requirePossible(address.type, change);
  const { source, rows } = await adminWrite(
    store,
    async (db) => {
      const entry = await findManagedEntry(db, actor, address, change.version);
      requireRevision(entry.revision, `The entry "${entry.name}"`, options);
      const versions = await selectStatuses(db, entry.id);
      const meant =
        change.version === undefined ? versions : versions.filter((row) => row.version === change.version);
      if (meant.length === 0) throw entryNotFound(address.type, address.name, change.version);
      const after = new Map(meant.map((row): [number, Status] => [row.id, statusAfter(row, change)]));
      const changing = meant.filter((row) => isOther(row, after.get(row.id)));
      if (changing.length === 0) throw statusUnchanged(entry.name);
      const now = clock().toISOString();
      await writeStatuses(db, changing, after, now);
      await moveLatest(
        db,
        versions.map((row) => ({ ...row, status: after.get(row.id)?.status ?? row.status })),
      );
      await db.updateTable('entry').set({ updated_at: now }).where('id', '=', entry.id).execute();
      await markChanged(db, { sourceIds: [entry.sourceId] });
      const ids = changing.map(({ id }) => id);
      return { source: entry.source, rows: await selectVersionRows(db, ids) };
    },
    options,
  );
  changed?.({ what: 'entries', name: source });
  return rows;
}

function requirePossible(type: EntryType, { status, message }: StatusChange): void {
  const possible = STATUSES[type];
  if (!possible.includes(status))
    throw statusInvalid(
      `A ${type} cannot have the status "${status}"; expected one of ${possible.join(', ')}.`,
    );
  if (message === undefined || message === null) return;
  const length = Array.from(message).length;
  if (length > MAX_MESSAGE_LENGTH)
    throw statusInvalid(`The message has ${length} characters; at most ${MAX_MESSAGE_LENGTH} are taken.`);
  if (status === 'active')
    throw statusInvalid('A message was sent with the status "active", which has none.');
}

interface Status {
  readonly status: EntryStatus;
  readonly status_message: string | null;
}

type StoredStatus = Awaited<ReturnType<typeof selectStatuses>>[number];

function selectStatuses(db: Kysely<Database>, entryId: number) {
  return db
    .selectFrom('entry_version')
    .select(['id', 'version', 'status', 'status_message', 'order_key', 'is_latest'])
    .where('entry_id', '=', entryId)
    .execute();
}

/**
 * Returns the status after a change. An active version has no message. A change without a message keeps the
 * old message.
 */
function statusAfter(before: StoredStatus, { status, message }: StatusChange): Status {
  if (status === 'active') return { status, status_message: null };
  return { status, status_message: message === undefined ? before.status_message : storable(message) };
}

/** Removes characters that a text column cannot store. */
function storable(message: string | null): string | null {
  return message?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null;
}

function isOther(before: StoredStatus, after: Status | undefined): boolean {
  return before.status !== after?.status || before.status_message !== after.status_message;
}

async function writeStatuses(
  db: Kysely<Database>,
  changing: readonly StoredStatus[],
  after: ReadonlyMap<number, Status>,
  now: string,
): Promise<void> {
  const groups = Map.groupBy(changing, (row) => {
    const { status, status_message } = after.get(row.id) ?? row;
    return JSON.stringify([status, status_message, row.status === status]);
  });
  for (const rows of groups.values()) {
    const [first] = rows;
    const status = first === undefined ? undefined : after.get(first.id);
    if (first === undefined || status === undefined) continue;
    const since = first.status === status.status ? {} : { status_changed_at: now };
    for (let at = 0; at < rows.length; at += CHUNK) {
      const ids = rows.slice(at, at + CHUNK).map(({ id }) => id);
      await db
        .updateTable('entry_version')
        .set({ ...status, ...since, updated_at: now })
        .where('id', 'in', ids)
        .execute();
    }
  }
}
