import type { Kysely } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Store } from '../store/open-store.ts';

/** A committed change by an administrative write. */
export interface AdminChange {
  /** `sync` means that a sync was requested, and nothing else changed. */
  readonly what: 'source' | 'registry' | 'entries' | 'sync';
  /** Name of the source or registry. For entries, the source that contains them. */
  readonly name: string;
}

export interface RegistryAdminOptions extends DocumentRules {
  readonly clock: () => Date;
  /** Called after every write of this process, so that listeners react without polling. Must not throw. */
  readonly changed?: (change: AdminChange) => void;
}

/** Dependencies of every administrative operation. */
export interface AdminSurroundings extends RegistryAdminOptions {
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
