import { FieldReader } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../document/json-members.ts';
import { readJson } from '../document/parse-json.ts';
import { badRunConfig, runConfigVersion } from './run-config-errors.ts';
import { readProfileParts } from '../permissions/parse-permission-profile.ts';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import { checkRunConfig } from './check-run-config.ts';
import { withFieldsOfChain } from './fields-of-chain.ts';
import { normalizeRunConfig } from './normalize-run-config.ts';
import { withoutForeignNames } from './without-foreign-names.ts';
import { modernRemoteAuth, readHeaders, readIgnore, readOidc, readOverrides, readRuntime } from './parts.ts';
import { findLostProtections } from './require-enforced.ts';
import { readWebhooks } from './webhooks.ts';
import { unreachable } from '../parse/unreachable.ts';
import {
  createRunConfig,
  DERIVED_FIELDS,
  RUN_CONFIG_FIELDS,
  RUN_CONFIG_VERSION,
  type RunConfig,
  type RunConfigField,
} from './run-config.ts';

export interface ParsedRunConfig {
  readonly config: RunConfig;
  /** A sentence for each thing in the document that does not count. */
  readonly notes: readonly string[];
}

/**
 * Reads an exported document, ours or another tool's of this format. What is
 * missing has its zero value, unknown fields are left out with a note. Secrets
 * in clear are still in it: see `liftSecrets`. Throws ERR_RUN_CONFIG with every
 * problem and its place, and ERR_RUN_CONFIG_VERSION for a format other than
 * this one.
 */
export function parseRunConfig(text: string, file: string): ParsedRunConfig {
  const document = withFieldsOfChain(parseDocument(text, file));
  checkVersion(document, file);
  const fields = new FieldReader('');
  const read: { [name: string]: unknown } = {};
  for (const [name, field] of Object.entries<RunConfigField>(RUN_CONFIG_FIELDS)) {
    read[name] = readField(fields, document, name, field.is);
  }
  // Each field was read as the table says.
  const asRead = { ...(read as unknown as RunConfig), schema_version: RUN_CONFIG_VERSION };
  const { config, notes } = withoutForeignNames(createRunConfig(asRead));
  const problems = [...fields.problems, ...checkRunConfig(config), ...findLostProtections(document)];
  if (problems.length > 0) throw badRunConfig(file, problems);
  return { config: normalizeRunConfig(config), notes: [...notes, ...noteOthers(document)] };
}

function parseDocument(text: string, file: string): JsonMembers {
  const reading = readJson(text);
  if ('fault' in reading) throw badRunConfig(file, [reading.fault]);
  if (!isJsonObject(reading.value)) throw badRunConfig(file, ['the document: expected a map']);
  return ownMembers(reading.value);
}

/** A missing version is the present one; what another one means nobody knows yet. */
function checkVersion(document: JsonMembers, file: string): void {
  const version = document['schema_version'];
  if (version === undefined || version === null || version === '' || version === RUN_CONFIG_VERSION) return;
  throw runConfigVersion(file, typeof version === 'string' ? version : typeof version, RUN_CONFIG_VERSION);
}

function readField(fields: FieldReader, map: JsonMembers, name: string, is: RunConfigField['is']): unknown {
  const part = (): JsonMembers => fields.object(map, name) ?? ownMembers({});
  const orNothing = <Part>(read: (part: JsonMembers) => Part): Part | undefined => {
    const found = fields.object(map, name);
    return found === undefined ? undefined : read(found);
  };
  switch (is) {
    case 'text':
      return fields.text(map, name);
    case 'integer':
      return fields.integer(map, name);
    case 'truth':
      return fields.truth(map, name);
    case 'texts':
      return fields.texts(map, name);
    case 'text-map':
      return fields.textMap(map, name);
    case 'webhooks':
      return readWebhooks(fields, fields.objects(map, name), name);
    case 'objects':
      return fields.objects(map, name);
    case 'object':
      return orNothing((found) => (name === 'remote_auth_config' ? modernRemoteAuth(found) : found));
    case 'profile':
      return orNothing((found) => readProfile(fields, found));
    case 'ignore':
      return orNothing((found) => readIgnore(fields, found, name));
    case 'runtime':
      return orNothing((found) => readRuntime(fields, found, name));
    case 'headers':
      return orNothing((found) => readHeaders(fields, found, name));
    case 'oidc':
      return orNothing((found) => readOidc(fields, found, name));
    case 'overrides':
      return readOverrides(fields, part(), name);
    default:
      return unreachable(is);
  }
}

function readProfile(fields: FieldReader, value: JsonMembers): PermissionProfile {
  const { profile, problems } = readProfileParts(value, 'permission_profile.', 'ignored');
  fields.problems.push(...problems);
  return profile;
}

function noteOthers(document: JsonMembers): readonly string[] {
  const known = new Set<string>(Object.keys(RUN_CONFIG_FIELDS));
  const others = Object.keys(document).filter((key) => !known.has(key) && !DERIVED_FIELDS.includes(key));
  const derived = DERIVED_FIELDS.filter((key) => {
    const value = document[key];
    return Array.isArray(value) && value.length > 0;
  });
  return [
    ...others.map((key) => `The field ${JSON.stringify(key.slice(0, 60))} is unknown and does not count.`),
    ...derived.map((key) => `The field ${key} does not count: the other fields say the same.`),
  ];
}
