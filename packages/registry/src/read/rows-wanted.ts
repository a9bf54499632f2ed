import type { ListQuery, VisibleClasses } from './registry-reader.ts';

/** Names are resolved to ids. */
export interface RowsWanted extends Omit<ListQuery, 'limit'> {
  readonly limit: number;
  readonly sourceIds: readonly number[];
  readonly visible: VisibleClasses;
}

/** Index of the search text, the time of change, or the claims. */
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
