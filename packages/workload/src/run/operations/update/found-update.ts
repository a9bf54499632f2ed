import type { Demands, RunConfig } from '@portolan/run-spec';
import type { UpdateEntry } from '../../../consent/update-demands.ts';

/** Result of looking for an update of a workload. */
export interface FoundUpdate {
  readonly name: string;
  /** Kind of source that was checked; `nothing`: the source has no versions. */
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  /** Whether a newer version exists. */
  readonly available: boolean;
  /** Current version; empty when unknown. `newest` is the version that an update would run. */
  readonly current: string;
  readonly newest: string;
  /**
   * Differences between the permissions that the registry entry asks for and those of the workload, as
   * sentences.
   */
  readonly permissions: readonly string[];
  /** Grants that an updated entry needs, and its settings that prevent the update. */
  readonly asks: Demands;
  /** Names of the tools that the entry lists; undefined when it lists none. */
  readonly tools: readonly string[] | undefined;
  /** Sentences for the user. */
  readonly notes: readonly string[];
  /** Settings that an update would run; undefined when nothing is newer. */
  readonly next: UpdateTarget | undefined;
}

export interface UpdateTarget {
  readonly config: RunConfig;
  /** Digest of the image, because its name may refer to another image on this machine. */
  readonly digest: string | undefined;
  /** Registry entry of the update; undefined for a workload without an entry. */
  readonly entry?: UpdateEntry;
}
