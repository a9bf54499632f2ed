import type { FilterConfig } from '@portolan/kernel';
import type { Logger, Source, Tracer } from '@portolan/plugin-api';
import type { DocumentRules } from '../preparation/prepare-version.ts';
import type { Store } from '../store/open-store.ts';
import type { Leases } from './schedule/lease.ts';
import type { ScratchLocation } from './scratch/scratch-locations.ts';
import type { Outcome } from '../store/record-sync.ts';

export interface SyncedSource {
  readonly id: number;
  readonly name: string;
  readonly instance: Source;
  readonly claimsFrom: 'source' | 'entry';
  readonly filter: FilterConfig | undefined;
  readonly intervalMs: number;
  /** Whether a sync may remove most entries. */
  readonly allowShrink?: boolean | undefined;
  /**
   * Identifies the definition from which this instance was created. When the stored definition differs, the
   * instance does not read.
   */
  readonly reading?: string;
}

export interface SyncContext extends DocumentRules {
  readonly store: Store;
  readonly leases: Leases;
  readonly owner: string;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Undefined when the server offers no scratch folders. */
  readonly scratch?: ScratchLocation | undefined;
  readonly tracer?: Tracer | undefined;
}

/**
 * Returns the outcome with the time of the next sync. Varies the interval randomly by a tenth, so that
 * sources do not all start at once.
 */
export function outcomeOf(source: SyncedSource, around: SyncContext): Outcome {
  const jitter = 0.9 + 0.2 * Math.random();
  return { owner: around.owner, at: around.clock().toISOString(), nextInMs: source.intervalMs * jitter };
}
