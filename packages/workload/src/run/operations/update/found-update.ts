import type { Demands, RunConfig } from '@portolan/run-spec';
import type { UpdateEntry } from '../../../consent/update-demands.ts';

export interface FoundUpdate {
  readonly name: string;
  /** Checked kind of source; `nothing`: the source has no versions. */
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  readonly available: boolean;
  /** Empty when unknown. */
  readonly current: string;
  readonly newest: string;
  /** Sentences about permissions that differ between entry and workload. */
  readonly permissions: readonly string[];
  readonly asks: Demands;
  /** Undefined when the entry lists none. */
  readonly tools: readonly string[] | undefined;
  readonly notes: readonly string[];
  /** Undefined when nothing is newer. */
  readonly next: UpdateTarget | undefined;
}

export interface UpdateTarget {
  readonly config: RunConfig;
  /** Needed when the name may refer to another image on this machine. */
  readonly digest: string | undefined;
  readonly entry?: UpdateEntry;
}
