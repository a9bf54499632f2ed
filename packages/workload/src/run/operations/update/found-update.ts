import type { Demands, RunConfig } from '@portolan/run-spec';
import type { UpdateEntry } from '../../../consent/update-demands.ts';

export interface FoundUpdate {
  readonly name: string;
  /** Checked kind of source; `nothing`: the source has no versions. */
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  readonly available: boolean;
  /** Version that the workload runs; empty when unknown. */
  readonly current: string;
  readonly newest: string;
  /** Sentences about permissions that differ between entry and workload. */
  readonly permissions: readonly string[];
  readonly asks: Demands;
  /** Tools that the entry lists; undefined when it lists none. */
  readonly tools: readonly string[] | undefined;
  readonly notes: readonly string[];
  /** Target of the update; undefined when nothing is newer. */
  readonly next: UpdateTarget | undefined;
}

export interface UpdateTarget {
  readonly config: RunConfig;
  /** Digest of the image, whose name may refer to another image on this machine. */
  readonly digest: string | undefined;
  readonly entry?: UpdateEntry;
}
