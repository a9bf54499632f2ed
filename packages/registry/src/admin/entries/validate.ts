import type { DocumentIssue } from '@portolan/entry-format';
import type { EntryType } from '@portolan/plugin-api';
import type { Kysely } from 'kysely';
import type { Database } from '../../store/database-schema.ts';
import { findRemoteClashes } from '../../store/server-remotes.ts';
import { checkPublication, type CheckedPublication } from '../../preparation/prepare-version.ts';
import { maySee } from '../actor-decisions.ts';
import { type AdminContext, readAtOnce } from '../admin-context.ts';
import type { Actor } from '../registry-admin.ts';

export async function validate(
  { store, clock, maxMetaSize, transports }: AdminContext,
  actor: Actor,
  type: EntryType,
  document: unknown,
): Promise<readonly DocumentIssue[]> {
  const checked = checkPublication(
    { type, document },
    { maxMetaSize, transports, now: clock().toISOString() },
  );
  if (checked.remotes.length === 0) return checked.issues;
  const clashes = await readAtOnce(store, (db) => findRemoteIssues(db, store.engine, actor, checked));
  return [...clashes, ...checked.issues];
}

/** Returns issues for remotes of other servers that the actor may see (MCP registry, validation rules). */
export async function findRemoteIssues(
  db: Kysely<Database>,
  engine: AdminContext['store']['engine'],
  actor: Actor,
  { version, remotes }: CheckedPublication,
): Promise<readonly DocumentIssue[]> {
  if (version === undefined || remotes.length === 0) return [];
  const clashes = await findRemoteClashes(db, engine, { name: version.name, remotes }, (claims) =>
    maySee(actor, { claims }),
  );
  return clashes.slice(0, MAX_REPORTED).map(({ path, url, server }) => ({
    type: 'semantic',
    path,
    message: `found ${JSON.stringify(url.slice(0, MAX_QUOTED))}, the address of the server "${server}"; expected an address that no other server has`,
    severity: 'error',
    reference: 'remote-unique',
  }));
}

const MAX_REPORTED = 100;
const MAX_QUOTED = 200;
