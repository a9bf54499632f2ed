import { findLostProtections, type RunConfig } from '@portolan/run-spec';
import { protectionsLost } from '../../run-errors.ts';
import type { RunOptions } from '../../run-options.ts';
import { findChanges } from '../find-changes.ts';

/**
 * Reports how the new settings differ from the settings of the replaced workload, if those are readable.
 * Throws ERR_PROTECTION_LOST when the new settings protect less, unless `acceptsLoss` is set.
 */
export function reviewReplacement(
  earlier: RunConfig | undefined,
  next: RunConfig,
  { observer, acceptsLoss = false }: Pick<RunOptions, 'observer' | 'acceptsLoss'>,
): void {
  if (earlier === undefined) return;
  const changes = findChanges(earlier, next);
  const lost = findLostProtections(earlier, next);
  observer.difference?.({ name: next.name, changes, lost });
  if (lost.length > 0 && !acceptsLoss) throw protectionsLost(next.name, lost);
}
