import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, listOf, memberOf, textOf } from '../json-value.ts';
import {
  LATEST_SERVER_SCHEMA,
  SERVER_SCHEMA_VERSIONS,
  SNAKE_CASE_VERSION,
  versionOfServerSchema,
} from './schema-address.ts';

type Names = ReadonlyMap<string, string>;
type Convert = (value: unknown) => unknown;

const DOCUMENT_NAMES: Names = new Map([['website_url', 'websiteUrl']]);
const PACKAGE_NAMES: Names = new Map([
  ['registry_type', 'registryType'],
  ['registry_base_url', 'registryBaseUrl'],
  ['file_sha256', 'fileSha256'],
  ['runtime_hint', 'runtimeHint'],
  ['runtime_arguments', 'runtimeArguments'],
  ['package_arguments', 'packageArguments'],
  ['environment_variables', 'environmentVariables'],
]);
const INPUT_NAMES: Names = new Map([
  ['is_required', 'isRequired'],
  ['is_secret', 'isSecret'],
  ['value_hint', 'valueHint'],
  ['is_repeated', 'isRepeated'],
]);
/** New names of members by their names in schema version 2025-07-09. */
export const OLDER_NAMES: Names = new Map([...DOCUMENT_NAMES, ...PACKAGE_NAMES, ...INPUT_NAMES]);
const OFFICIAL = 'io.modelcontextprotocol.registry/official';

/**
 * Converts documents of 2025-07-09, and those without a known schema but with its underscored members:
 * camelCase names, a default `stdio` transport, and the newest `$schema`. They lose `status` and the official
 * `_meta`, which registries manage. Returns other documents unchanged. Never modifies the argument.
 */
export function modernizeServerDocument(document: JsonObject): JsonObject {
  if (!isOld(document)) return document;
  const converted = rename(document, DOCUMENT_NAMES, {
    packages: each(modernizePackage),
    remotes: each(modernizeTransport),
    _meta: (meta) => (isJsonObject(meta) ? without(meta, OFFICIAL) : meta),
  });
  return { $schema: LATEST_SERVER_SCHEMA, ...without(without(converted, 'status'), '$schema') };
}

function isOld(document: JsonObject): boolean {
  const version = versionOfServerSchema(textOf(document, '$schema') ?? '');
  if (version === SNAKE_CASE_VERSION) return true;
  if (version !== undefined && SERVER_SCHEMA_VERSIONS.includes(version)) return false;
  const packages = listOf(document, 'packages').filter(isJsonObject);
  return hasAny(document, DOCUMENT_NAMES) || packages.some((item) => hasAny(item, PACKAGE_NAMES));
}

function modernizePackage(item: unknown): unknown {
  if (!isJsonObject(item)) return item;
  const converted = rename(item, PACKAGE_NAMES, {
    runtimeArguments: each(modernizeInput),
    packageArguments: each(modernizeInput),
    environmentVariables: each(modernizeInput),
    transport: modernizeTransport,
  });
  return memberOf(converted, 'transport') === undefined
    ? { ...converted, transport: { type: 'stdio' } }
    : converted;
}

function modernizeTransport(transport: unknown): unknown {
  return isJsonObject(transport)
    ? rename(transport, new Map(), { headers: each(modernizeInput), variables: eachMember(modernizeInput) })
    : transport;
}

function modernizeInput(input: unknown): unknown {
  return isJsonObject(input) ? rename(input, INPUT_NAMES, { variables: eachMember(modernizeInput) }) : input;
}

/**
 * Renames members of an object. When both names exist, the new one takes precedence. `converts` converts some
 * values, by new name.
 */
function rename(object: JsonObject, names: Names, converts: Readonly<Record<string, Convert>>): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]) => {
    const name = names.get(key) ?? key;
    if (name !== key && Object.hasOwn(object, name)) return [];
    const convert = Object.hasOwn(converts, name) ? converts[name] : undefined;
    return [[name, convert === undefined ? value : convert(value)]];
  });
  return Object.fromEntries(entries);
}

function each(convert: Convert): Convert {
  return (value) => (Array.isArray(value) ? value.map(convert) : value);
}

function eachMember(convert: Convert): Convert {
  return (value) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, convert(member)]))
      : value;
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function hasAny(object: JsonObject, names: Names): boolean {
  return Object.keys(object).some((key) => names.has(key));
}
