import type { KnownRegistry } from './catalog-cache.ts';
import type { VisibleClasses } from './registry-reader.ts';

/** Sources that can contain visible entries. */
export interface NarrowedSources {
  /** Highest priority first. */
  readonly sourceIds: readonly number[];
  /** Total number of versions in these sources. */
  readonly versionCount: number;
}

/**
 * Drops sources whose every entry has an invisible class. They neither show nor shadow entries. Queries still
 * check the class of every row, because it may have changed.
 */
export function narrowSources({ holdings }: KnownRegistry, visible: VisibleClasses): NarrowedSources {
  const seen = visible === 'all' ? undefined : new Set(visible);
  const kept =
    seen === undefined
      ? holdings
      : holdings.filter(({ classId }) => (classId === undefined ? seen.size > 0 : seen.has(classId)));
  return {
    sourceIds: kept.map(({ sourceId }) => sourceId),
    versionCount: kept.reduce((sum, { versionCount }) => sum + versionCount, 0),
  };
}
