import { digestValue } from '../digest/definition-digest.ts';
import { type ApprovedServer, type ApprovedValue, type CurrentServer, hasInstructions } from './baseline.ts';
import type { ChangeClass, Difference, FieldChange } from './difference.ts';
import { findChanges } from './find-changes.ts';
import { limitFields } from './item-changes.ts';

/** Returns the differences of what a server says about itself. */
export function compareServer(
  approved: ApprovedServer | undefined,
  current: CurrentServer | undefined,
): readonly Difference[] {
  if (approved === undefined || current === undefined) return [];
  const instructions = hasInstructions(current) ? current.instructions : undefined;
  return [
    ...compareIdentity(approved, current),
    ...compareValue('instructions', approved.instructions, instructions),
    ...compareValue('capabilities', approved.capabilities, current.capabilities),
  ];
}

function compareIdentity(approved: ApprovedServer, current: CurrentServer): readonly Difference[] {
  const fields: readonly FieldChange[] = [
    // An entry may publish definitions without the name and the version of its server.
    ...(approved.name === undefined && approved.version === undefined
      ? []
      : [
          ...findChanges('/name', approved.name, current.name, 'note'),
          ...findChanges('/version', approved.version, current.version, 'note'),
        ]),
    // The response to `initialize` names no revisions, so a lock may have none.
    ...((approved.revisions ?? []).length === 0 || current.revisions === undefined
      ? []
      : findChanges('/revisions', approved.revisions?.toSorted(), current.revisions.toSorted(), 'note')),
  ];
  return fields.length === 0
    ? []
    : [{ kind: 'server', name: '', change: 'changed', class: 'note', fields: limitFields(fields).fields }];
}

function compareValue(
  kind: 'instructions' | 'capabilities',
  approved: ApprovedValue | undefined,
  current: unknown,
): readonly Difference[] {
  const held: { readonly kind: typeof kind; readonly name: string; readonly class: ChangeClass } = {
    kind,
    name: '',
    class: 'held',
  };
  if (approved === undefined && current === undefined) return [];
  if (current === undefined) return [{ ...held, change: 'removed', fields: [] }];
  const result = digestValue(current);
  if ('fault' in result) return [{ ...held, change: 'unreadable', fields: [], fault: result.fault }];
  if (approved === undefined) return [{ ...held, change: 'added', fields: [] }];
  if (approved.digest === result.digest) return [];
  const fields: readonly FieldChange[] =
    approved.json === undefined
      ? [{ pointer: '', class: 'held' }]
      : findChanges('', JSON.parse(approved.json), JSON.parse(result.json), 'held');
  return [{ ...held, change: 'changed', fields: limitFields(fields).fields }];
}
