import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, liftSecrets, memberOf, type RunConfig, runConfigDocument } from '@portolan/run-spec';
import type { PlannedChange } from '../run-plan.ts';

/** Fields whose values are hidden, because they may be undeclared secrets. */
const NAMES_ONLY = ['env_vars', 'header_forward', 'telemetry_config.headers'] as const;

/**
 * Returns the differences by field, such as `oidc_config.Audience`. A missing and an empty value are equal.
 * Hides values of variables and headers, and secrets in clear text.
 */
export function findChanges(before: RunConfig, after: RunConfig): readonly PlannedChange[] {
  // The workloads file that created a workload is not one of its settings.
  const [old, next] = [before, after].map((config) => runConfigDocument({ ...config, applied_by: '' }));
  const hidden = [...NAMES_ONLY, ...liftSecrets(after).secrets.map(({ place }) => place)];
  return membersOf(old, next).flatMap((field) =>
    changed(field, memberOf(old, field), memberOf(next, field), hidden),
  );
}

function changed(
  setting: string,
  was: unknown,
  is: unknown,
  hidden: readonly string[],
): readonly PlannedChange[] {
  if (isDeepStrictEqual(was, is) || (isEmpty(was) && isEmpty(is))) return [];
  const isObject =
    [was, is].some(isJsonObject) && [was, is].every((one) => isEmpty(one) || isJsonObject(one));
  if (isObject) {
    return membersOf(was, is).flatMap((name) =>
      changed(`${setting}.${name}`, memberOf(was, name), memberOf(is, name), hidden),
    );
  }
  if (!hidden.some((place) => setting === place || setting.startsWith(`${place}.`))) {
    return [{ setting, before: isEmpty(was) ? undefined : was, after: isEmpty(is) ? undefined : is }];
  }
  const before = was === undefined ? undefined : 'a value';
  const after = is === undefined ? undefined : was === undefined ? 'a value' : 'another value';
  return [{ setting, before, after }];
}

function membersOf(was: unknown, is: unknown): readonly string[] {
  return [...new Set([was, is].flatMap((map) => (isJsonObject(map) ? Object.keys(map) : [])))];
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isJsonObject(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === '' || value === false || value === 0;
}
