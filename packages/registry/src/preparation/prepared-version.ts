import type { EntryStatus, EntryType, ResourceClaims } from '@portolan/plugin-api';
import type { CarriedFacts } from './carried-facts.ts';

/** Everything that is stored about a version, except values that the database computes. */
export interface PreparedVersion {
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly status: EntryStatus;
  readonly searchText: string;
  readonly contentHash: string;
  readonly document: string;
  readonly remotes?: readonly string[];
  /** Faults that a sync tolerates. */
  readonly warnings: number;
  /** Part of the source from which the version was read. */
  readonly scope?: string;
  readonly carried?: CarriedFacts;
  /** Registries that the version passed through, in stored form. */
  readonly origin?: string;
  /** Present only for kinds whose entries have their own claims. */
  readonly claims?: ResourceClaims;
}
