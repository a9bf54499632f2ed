import type { Kysely } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Store } from '../store/open-store.ts';

/** What a write has changed, when it is committed. */
export interface AdminChange {
  /** `sync`: nothing but that the source is due. */
  readonly what: 'source' | 'registry' | 'entries' | 'sync';
  /** Name of the source (that holds the entries) or registry. */
  readonly name: string;
}

export interface RegistryAdminOptions extends DocumentRules {
  readonly clock: () => Date;
  /** Told after every write of this process, so that it need not wait to find out. Must not throw. */
  readonly changed?: (change: AdminChange) => void;
}

/** What every operation needs. */
export interface AdminSurroundings extends RegistryAdminOptions {
  readonly store: Store;
}

/** Several questions, one moment: all of them see the state of the first. */
export function readAtOnce<T>(store: Store, read: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  return store.reading
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(read);
}
