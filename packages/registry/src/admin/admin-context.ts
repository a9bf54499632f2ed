import type { Kysely } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Store } from '../store/open-store.ts';

export interface AdminChange {
  /** What changed. `sync` means that a sync was requested and nothing else changed. */
  readonly what: 'source' | 'registry' | 'entries' | 'sync';
  /** Name of the source or registry. For entries, the name of their source. */
  readonly name: string;
}

export interface RegistryAdminOptions extends DocumentRules {
  readonly clock: () => Date;
  /** Called after each change, so that listeners in this process need not poll. Must not throw. */
  readonly changed?: (change: AdminChange) => void;
}

export interface AdminContext extends RegistryAdminOptions {
  readonly store: Store;
}

/** Runs several reads in one transaction, so that all of them see the same state. */
export function readAtOnce<T>(store: Store, read: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  return store.reading
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(read);
}
