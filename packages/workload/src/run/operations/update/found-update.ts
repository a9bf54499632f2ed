import type { Demands, RunConfig } from '@portolan/run-spec';
import type { UpdateEntry } from '../../../consent/update-demands.ts';

/** What there is for a workload, of what it was run from. */
export interface FoundUpdate {
  readonly name: string;
  /** What was looked at; `nothing`: it is not from anywhere that has versions. */
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  /** Whether there is something newer. */
  readonly available: boolean;
  /** What it runs now, and what it would run; empty where that is not known. */
  readonly current: string;
  readonly newest: string;
  /** How the permissions that its registry entry asks for differ from those that it has. */
  readonly permissions: readonly string[];
  /** Grants that the update asks for and settings with which it is refused, of an entry. */
  readonly asks: Demands;
  /** Names of the tools that the entry lists; undefined where it lists none. */
  readonly tools: readonly string[] | undefined;
  /** Sentences for people. */
  readonly notes: readonly string[];
  /** What would be run instead; undefined where nothing is newer. */
  readonly next: UpdateTarget | undefined;
}

export interface UpdateTarget {
  readonly config: RunConfig;
  /** The very image, where its name may stand for another one here. */
  readonly digest: string | undefined;
  /** The entry that says so; undefined for a workload of no entry. */
  readonly entry?: UpdateEntry;
}
