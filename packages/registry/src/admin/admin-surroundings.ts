import type { Kysely } from 'kysely';
import type { Database } from '../store/database-schema.ts';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Store } from '../store/open-store.ts';

export interface AdminChange {
  /** `sync`: a sync was requested, and nothing else changed. */
  readonly what: 'source' | 'registry' | 'entries' | 'sync';
  /** Source or registry. For entries, their source. */
  readonly name: string;
}

export interface RegistryAdminOptions extends DocumentRules {
  readonly clock: () => Date;
  /** Lets listeners of this process react without polling. Must not throw. */
  readonly changed?: (change: AdminChange) => void;
}

export interface AdminSurroundings extends RegistryAdminOptions {
  readonly store: Store;
}

/** Runs several reads on the same state. */
export function readAtOnce<T>(store: Store, read: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  return store.reading
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(read);
}
