import type { ListQuery, VisibleClasses } from './registry-reader.ts';

/** A list query whose names of sources and claims are resolved to ids. */
export interface RowQuery extends Omit<ListQuery, 'limit'> {
  readonly limit: number;
  readonly sourceIds: readonly number[];
  readonly visible: VisibleClasses;
}

/** Index that can find rows: by search text, by time of change, or by claims. */
export type Finder = 'search' | 'since' | 'classes';

/**
 * Strategy for finding rows.
 * - `walk`: scans along the names until the page is full.
 * - `peek`: the same, limited to some hundred rows.
 * - a finder: sorts all rows that its index finds.
 * - `ranked`: reads all names and picks the highest-priority entry of each. Its cost does not depend on the
 *   number of sources.
 */
export type Strategy = 'walk' | 'peek' | 'ranked' | Finder;
