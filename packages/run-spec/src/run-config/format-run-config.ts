import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import { runConfigHoldsSecret } from './run-config-errors.ts';
import { profileDocument } from '../permissions/profile-document.ts';
import { findClearSecrets } from './lift-secrets.ts';
import { RUN_CONFIG_FIELDS, type RunConfig, type RunConfigField } from './run-config.ts';

/**
 * Formats a run config as JSON without zero values, except those that the format requires. Throws
 * ERR_RUN_CONFIG_SECRET for a plain-text secret, which `liftSecrets` replaces.
 */
export function formatRunConfig(config: RunConfig): string {
  const clear = findClearSecrets(config);
  if (clear.length > 0) throw runConfigHoldsSecret(clear);
  return `${JSON.stringify(runConfigDocument(config), undefined, 2)}\n`;
}

export function runConfigDocument(config: RunConfig): JsonObject {
  const members: [string, unknown][] = [];
  for (const [name, field] of fieldsInOrder()) {
    const value = config[name];
    if (field.always === true) members.push([name, alwaysValue(name, config)]);
    else if (!isAbsent(value, field.is)) members.push([name, withoutZeros(value, field.is)]);
  }
  return Object.fromEntries(members);
}

function fieldsInOrder(): readonly (readonly [keyof RunConfig, RunConfigField])[] {
  return Object.entries(RUN_CONFIG_FIELDS) as unknown as readonly (readonly [
    keyof RunConfig,
    RunConfigField,
  ])[];
}

function alwaysValue(name: keyof RunConfig, config: RunConfig): unknown {
  if (name !== 'permission_profile') return config[name];
  return config.permission_profile === undefined ? null : profileDocument(config.permission_profile);
}

/**
 * Returns whether a value can be omitted. An empty object of another tool cannot, because its presence has a
 * meaning; an empty map of Portolan can.
 */
function isAbsent(value: unknown, is: RunConfigField['is']): boolean {
  return isZero(value) || ((is === 'text-map' || is === 'overrides') && isEmptyMap(value));
}

function isZero(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

/** Removes empty members of Portolan's own objects. Objects of other tools stay unchanged. */
function withoutZeros(value: unknown, is: RunConfigField['is']): unknown {
  if (!isJsonObject(value) || is === 'object' || is === 'ignore' || is === 'text-map' || is === 'overrides') {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => !isZero(member) && !isEmptyMap(member)),
  );
}

function isEmptyMap(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
