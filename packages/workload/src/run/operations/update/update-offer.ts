import type { Demands, RunConfig } from '@portolan/run-spec';
import type { UpdateEntry } from '../../../consent/update-demands.ts';

export interface UpdateOffer {
  readonly name: string;
  /** Kind of source that was checked for a newer version. `nothing` means that the source has no versions. */
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  readonly available: boolean;
  /** Version that the workload runs; empty when unknown. */
  readonly current: string;
  readonly newest: string;
  /** Sentences about permissions that differ between the registry entry and the workload. */
  readonly permissions: readonly string[];
  readonly asks: Demands;
  /** Names of the tools in the registry entry; undefined when the entry names none. */
  readonly tools: readonly string[] | undefined;
  readonly notes: readonly string[];
  /** Settings of the updated workload; undefined when there is no newer version. */
  readonly next: UpdateTarget | undefined;
}

export interface UpdateTarget {
  readonly config: RunConfig;
  /**
   * Digest of the new image. The name alone is not enough, because on this machine it may refer to an older
   * image.
   */
  readonly digest: string | undefined;
  readonly entry?: UpdateEntry;
}
