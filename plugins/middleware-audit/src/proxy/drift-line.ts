import type { DriftEvent } from '@portolan/plugin-api';
import { cut, envelope, plain, toLine } from '../audit-line.ts';
import { maskText } from '../mask-text.ts';

/** Maximum length of a name in a line, in characters. */
const MAX_DRIFT_NAME_CHARACTERS = 256;
/** Maximum number of changed fields in a line. */
const MAX_DRIFT_FIELDS = 32;

/** Formats the line of a difference. It contains the names of changed fields, never their texts. */
export function formatDriftLine(
  { type, kind, name, change, class: found, fields }: DriftEvent,
  {
    id,
    at,
    component,
    backend,
  }: { readonly id: string; readonly at: Date; readonly component: string; readonly backend: string },
): string {
  const shown = (text: string): string => cut(plain(maskText(text)), MAX_DRIFT_NAME_CHARACTERS);
  return toLine({
    ...envelope(type, id, at),
    outcome: type === 'drift_held' ? 'denied' : 'success',
    component,
    source: { type: 'local', value: 'drift-guard' },
    subjects: { identity: 'system' },
    target: { type: kind, ...(name === '' ? {} : { name: shown(name) }) },
    metadata: {
      extra: {
        backend_name: backend,
        change,
        class: found,
        ...(fields.length === 0 ? {} : { fields: fields.slice(0, MAX_DRIFT_FIELDS).map(shown) }),
      },
    },
  });
}
