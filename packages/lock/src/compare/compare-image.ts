import type { Resolved, Signer } from '../file/lock-file.ts';
import type { Baseline, CurrentDefinitions } from './baseline.ts';
import type { Difference, DifferenceKind } from './difference.ts';
import { findChanges } from './find-changes.ts';

/** Returns the differences of package, image and signer. Each is refused. */
export function compareImage(baseline: Baseline, current: CurrentDefinitions): readonly Difference[] {
  return [
    ...compareResolved(baseline.resolved, current.resolved),
    ...compareSigner(baseline.signer, current.signer),
  ];
}

function compareSigner(
  approved: Signer | undefined,
  current: Signer | null | undefined,
): readonly Difference[] {
  if (approved === undefined || current === undefined) return [];
  return compareWhole('signer', approved, current ?? undefined);
}

function compareResolved(
  approved: Resolved | null | undefined,
  current: Resolved | undefined,
): readonly Difference[] {
  if (approved === undefined || current === undefined) return [];
  const after = kindOf(current);
  if (approved === null) return compareWhole(after, undefined, current);
  const before = kindOf(approved);
  // A package may have become an image, or an image a package.
  return compareWhole(before, approved, before === after ? current : undefined);
}

function kindOf(resolved: Resolved): 'package' | 'image' {
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
