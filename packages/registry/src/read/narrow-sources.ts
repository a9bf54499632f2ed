import type { KnownRegistry } from './catalog-cache.ts';
import type { VisibleClasses } from './registry-reader.ts';

/** Where to look for what a caller may see. */
export interface NarrowedSources {
  /** First one first. */
  readonly sourceIds: readonly number[];
  /** Versions in these sources together. */
  readonly versionCount: number;
}

/**
 * Leaves out the sources whose every entry has a class that is not visible:
 * neither do they show anything, nor do they hide anything of other sources. So
 * a page costs what the caller may see, not what there is. Rows are asked for
 * their class all the same: it may have changed since this was known.
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
