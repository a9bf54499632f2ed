import type { EntryStatus, EntryType, ResourceClaims } from '@portolan/plugin-api';
import type { CarriedFacts } from './carried-facts.ts';

/** One version, checked and described: all that is stored of it but what the database decides. */
export interface PreparedVersion {
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly status: EntryStatus;
  readonly searchText: string;
  readonly contentHash: string;
  readonly document: string;
  /** Of a server: what `remoteHashes` keeps of where it can be reached. */
  readonly remotes?: readonly string[];
  /** Faults that a sync lets pass. */
  readonly warnings: number;
  /** The part of the source that it was read from. */
  readonly scope?: string;
  /** What another registry says of it. */
  readonly carried?: CarriedFacts;
  /** The registries that it came through, as stored. */
  readonly origin?: string;
  /** Only from kinds whose entries bring their own. */
  readonly claims?: ResourceClaims;
}
