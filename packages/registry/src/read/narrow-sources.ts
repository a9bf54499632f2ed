import type { KnownRegistry } from './catalog-cache.ts';
import type { VisibleClasses } from './registry-reader.ts';

/** Sources that can contain visible entries. */
export interface NarrowedSources {
  /** Ids of the sources, highest priority first. */
  readonly sourceIds: readonly number[];
  /** Total number of versions in these sources. */
  readonly versionCount: number;
}

/**
 * Drops sources whose entries all have claims that the caller does not satisfy. Such sources neither show nor
 * shadow entries. Queries still check the claims of every row, because they may have changed.
 */
export function narrowSources({ holdings }: KnownRegistry, visible: VisibleClasses): NarrowedSources {
  const seen = visible === 'all' ? undefined : new Set(visible);
  const remaining =
    seen === undefined
      ? holdings
      : holdings.filter(({ classId }) => (classId === undefined ? seen.size > 0 : seen.has(classId)));
  return {
    sourceIds: remaining.map(({ sourceId }) => sourceId),
    versionCount: remaining.reduce((sum, { versionCount }) => sum + versionCount, 0),
  };
}
