import { madeBefore, revisionChanged } from './admin-errors.ts';
import type { WriteOptions } from './registry-admin.ts';

/**
 * Throws ERR_REVISION_CHANGED when the precondition of a write does not hold. `revision` is undefined when
 * the resource does not exist.
 */
export function requireRevision(
  stored: string | undefined,
  what: string,
  { ifMatch, ifAbsent }: WriteOptions,
): void {
  if (ifAbsent === true && stored !== undefined) throw madeBefore(what);
  if (ifMatch === undefined) return;
  const matches = stored !== undefined && (ifMatch === '*' || ifMatch.includes(stored));
  if (!matches) throw revisionChanged(what);
}
