import type { Resolved } from '../file/lock-file.ts';
import type { Baseline, CurrentDefinitions } from './baseline.ts';
import type { Difference, DifferenceKind } from './difference.ts';
import { findChanges } from './find-changes.ts';

/** Returns the differences of package, image and signer. Each is refused. */
export function compareImage(baseline: Baseline, current: CurrentDefinitions): readonly Difference[] {
  return [
    ...compareResolved(baseline.resolved, current.resolved),
    ...(current.signer === undefined
      ? []
      : compareWhole('signer', baseline.signer, current.signer ?? undefined)),
  ];
}

function compareResolved(
  approved: Resolved | undefined,
  current: Resolved | undefined,
): readonly Difference[] {
  if (current === undefined) return [];
  const [before, after] = [kindOf(approved), kindOf(current)];
  if (before === after || before === undefined) return compareWhole(after ?? 'image', approved, current);
  // A package has become an image, or an image a package.
  return compareWhole(before, approved, undefined);
}

function kindOf(resolved: Resolved | undefined): 'package' | 'image' | undefined {
  if (resolved === undefined) return undefined;
  return 'package' in resolved ? 'package' : 'image';
}

function compareWhole(
  kind: DifferenceKind,
  approved: object | undefined,
  current: object | undefined,
): readonly Difference[] {
  if (approved === undefined && current === undefined) return [];
  const refused = { kind, name: '', class: 'refused' } as const;
  if (approved === undefined) return [{ ...refused, change: 'added', fields: [] }];
  if (current === undefined) return [{ ...refused, change: 'removed', fields: [] }];
  const fields = findChanges('', approved, current, 'refused');
  return fields.length === 0 ? [] : [{ ...refused, change: 'changed', fields }];
}
