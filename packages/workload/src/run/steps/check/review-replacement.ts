import { findLostProtections, type RunConfig } from '@portolan/run-spec';
import { protectionsLost } from '../../run-errors.ts';
import type { RunOptions } from '../../run-options.ts';
import { findChanges } from '../find-changes.ts';

/**
 * Shows how the settings of a workload differ from those of the one that it replaces. Throws
 * ERR_PROTECTION_LOST for a protection that would disappear, unless the user has said yes. The
 * settings of a damaged workload are unknown: nothing is compared.
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
