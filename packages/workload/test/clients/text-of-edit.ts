import type { FileEdit } from '../../src/clients/file-edit.ts';

export function textOfEdit(edited: FileEdit): string {
  if ('fault' in edited) throw new Error(edited.fault);
  return edited.text;
}
