import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { isJsonObject, memberOf, runConfigDocument } from '@portolan/run-spec';
import type { PlannedChange } from '../run-plan.ts';

/** Fields of which only names are shown: values may be what nobody has called a secret. */
const NAMES_ONLY = ['env_vars', 'header_forward'] as const;

/** What a new run config has otherwise than the one that is there, by field. */
export function findChanges(before: RunConfig, after: RunConfig): readonly PlannedChange[] {
  const [old, next] = [runConfigDocument(before), runConfigDocument(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  return fields.flatMap((field) => {
    const [was, is] = [memberOf(old, field), memberOf(next, field)];
    if (isDeepStrictEqual(was, is)) return [];
    return NAMES_ONLY.some((one) => one === field)
      ? changedNames(field, was, is)
      : [{ setting: field, before: valueOf(old, field), after: valueOf(next, field) }];
  });
}

function valueOf(document: JsonObject, field: string): unknown {
  return Object.hasOwn(document, field) ? document[field] : undefined;
}

function changedNames(place: string, was: unknown, is: unknown): readonly PlannedChange[] {
  const names = [...new Set([was, is].flatMap((map) => (isJsonObject(map) ? Object.keys(map) : [])))];
  return names.flatMap((name) => {
    const setting = `${place}.${name}`;
    const [old, next] = [memberOf(was, name), memberOf(is, name)];
    if (isDeepStrictEqual(old, next)) return [];
    if (isJsonObject(old) || isJsonObject(next)) return changedNames(setting, old, next);
    return [
      {
        setting,
        before: old === undefined ? undefined : 'a value',
        after: next === undefined ? undefined : old === undefined ? 'a value' : 'another value',
      },
    ];
  });
}
