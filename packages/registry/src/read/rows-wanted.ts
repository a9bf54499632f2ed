import type { ListQuery, VisibleClasses } from './registry-reader.ts';

/** What a list asks, with everything names stand for looked up. */
export interface RowsWanted extends Omit<ListQuery, 'limit'> {
  readonly limit: number;
  readonly sourceIds: readonly number[];
  readonly visible: VisibleClasses;
}

/** An index that finds the rows of one filter: of the searched text, of the time of change, of the claims. */
export type Finder = 'search' | 'since' | 'classes';

/**
 * How rows are found. `walk`: along the names, until the page is full. `peek`:
 * likewise, but no further than some hundred rows. A finder: all rows that its
 * index finds, then sorted. `ranked`: all names of all sources, the best placed one of each; its cost does not
 * grow with the number of sources.
 */
export type Strategy = 'walk' | 'peek' | 'ranked' | Finder;
