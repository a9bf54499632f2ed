import type { JsonObject } from '@portolan/plugin-api';
import { FieldReader } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../document/json-members.ts';
import { profileDocument } from '../permissions/profile-document.ts';
import { readHeaders, readIgnore, readOidc, readRuntime } from './parts.ts';
import { createRunConfig, RUN_CONFIG_FIELDS, type RunConfig, type RunConfigField } from './run-config.ts';

/** Returns a run config as a JSON document, without zero values except those that the format requires. */
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
  const isOwnMap = is === 'text-map' || is === 'overrides' || is === 'members';
  if (is === 'switch') return value === undefined;
  return isZero(value) || (isOwnMap && isEmptyMap(value));
}

function isZero(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

/** Types whose values are written as they are: objects of other tools, and maps in which a zero has a meaning. */
const UNCHANGED: ReadonlySet<RunConfigField['is']> = new Set([
  'object',
  'ignore',
  'text-map',
  'overrides',
  'members',
  'search',
]);

/** Removes empty members of Portolan's own objects. Objects of other tools stay unchanged. */
function withoutZeros(value: unknown, is: RunConfigField['is']): unknown {
  if (!isJsonObject(value) || UNCHANGED.has(is)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => !isZero(member) && !isEmptyMap(member)),
  );
}

function isEmptyMap(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Returns the run config of a document that `runConfigDocument` has made. It checks nothing. */
export function runConfigOfDocument(document: JsonObject): RunConfig {
  const fields = new FieldReader('');
  const map: JsonMembers = ownMembers(document);
  const read = (name: keyof RunConfig, part: (members: JsonMembers) => object): object => {
    const members = fields.object(map, name);
    return members === undefined ? { [name]: undefined } : { [name]: part(members) };
  };
  const { permission_profile: profile, ...rest } = document as Partial<RunConfig>;
  return createRunConfig({
    ...rest,
    permission_profile: profile ?? undefined,
    ...read('header_forward', (part) => readHeaders(fields, part, '')),
    ...read('oidc_config', (part) => readOidc(fields, part, '')),
    ...read('runtime_config', (part) => readRuntime(fields, part, '')),
    ...read('ignore_config', (part) => readIgnore(fields, part, '')),
  });
}
