import type { JsonObject } from '@portolan/plugin-api';
import { foldCase } from '../document/fold-case.ts';
import { FieldReader } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers, memberOf } from '../document/json-members.ts';
import { readJson } from '../document/parse-json.ts';
import { badRunConfig, runConfigVersion } from './run-config-errors.ts';
import { readProfileParts } from '../permissions/parse-permission-profile.ts';
import type { PermissionProfile } from '../permissions/permission-profile.ts';
import { checkRunConfig } from './check-run-config.ts';
import { checkFields } from './checks/check-fields.ts';
import type { PathContext } from '../parse/volume.ts';
import { runConfigDocument } from './run-config-document.ts';
import { isVirtualServer } from './members/is-virtual-server.ts';
import { readMembers } from './members/read-members.ts';
import { readSearch } from './members/read-search.ts';
import { normalizeRunConfig } from './normalize-run-config.ts';
import { modernRemoteAuth, readHeaders, readIgnore, readOidc, readOverrides, readRuntime } from './parts.ts';
import { findLostProtections } from './require-enforced.ts';
import { readWebhooks } from './webhooks.ts';
import { quote } from '../parse/text-faults.ts';
import { unreachable } from '../parse/unreachable.ts';
import {
  createRunConfig,
  DERIVED_FIELDS,
  RUN_CONFIG_FIELDS,
  RUN_CONFIG_VERSION,
  type RunConfig,
  type RunConfigField,
} from './run-config.ts';
import { isForeignLabel } from '../parse/key-value.ts';

/** Fields that other tools may write only into their middleware list, `middleware_configs`. */
const FIELDS = [
  { type: 'tokenexchange', field: 'token_exchange_config', key: 'token_exchange_config' },
  { type: 'ratelimit', field: 'rate_limit_config', key: 'config' },
] as const;

/**
 * Copies settings from the middleware list into missing fields. Of two middlewares of one type, the first
 * wins.
 */
function withFieldsOfChain(document: JsonMembers): JsonMembers {
  const chain: unknown = document['middleware_configs'];
  if (!Array.isArray(chain)) return document;
  const match: { [field: string]: unknown } = {};
  for (const { type, field, key } of FIELDS) {
    if (document[field] !== undefined && document[field] !== null) continue;
    const item: unknown = chain.find((one) => memberOf(one, 'type') === type);
    const settings: unknown = memberOf(memberOf(item, 'parameters'), key);
    if (isJsonObject(settings)) match[field] = settings;
  }
  return ownMembers({ ...document, ...match });
}

export interface ParsedRunConfig {
  readonly config: RunConfig;
  /** A sentence for each ignored part of the document. */
  readonly notes: readonly string[];
}

/**
 * Parses an exported document, ours or another tool's. Absent fields have their zero value; unknown ones are
 * ignored with a note. Plain-text secrets stay; see `liftSecrets`. Throws ERR_RUN_CONFIG with every problem.
 */
export function parseRunConfig(text: string, file: string, context?: PathContext): ParsedRunConfig {
  const members = parseDocument(text, file);
  const document = withFieldsOfChain(members);
  checkVersion(document, file);
  const { config, problems, notes } = readDocument(members, document, context);
  if (problems.length > 0) throw badRunConfig(file, problems);
  return { config, notes };
}

interface ReadDocument extends ParsedRunConfig {
  readonly problems: readonly string[];
}

/** Reads all fields. `document` has the fields that were filled from a derived field. */
function readDocument(
  members: JsonMembers,
  document: JsonMembers,
  context: PathContext | undefined,
): ReadDocument {
  const fields = new FieldReader('');
  const notes: string[] = [];
  const read: { [name: string]: unknown } = {};
  for (const [name, field] of Object.entries<RunConfigField>(RUN_CONFIG_FIELDS)) {
    read[name] = readField({ fields, map: document, context, notes }, name, field.is);
  }
  // Each value was checked against the type of its field.
  const asRead = {
    ...(read as unknown as RunConfig),
    schema_version: RUN_CONFIG_VERSION,
    ...isolationWhereMissing(document),
  };
  const { config: own, notes: left } = withoutForeignNames(createRunConfig(asRead));
  const { config, problems } = checkFields(own, context);
  return {
    config: normalizeRunConfig(config),
    problems: [
      ...findOtherCapitals(members),
      ...fields.problems,
      ...problems,
      ...checkRunConfig(config),
      ...findLostProtections(document),
    ],
    notes: [...left, ...notes, ...noteOthers(members, document)],
  };
}

/** Reads the run config of a member, and returns it as a document. Its server is never a virtual server. */
function readMemberConfig({ fields, context, notes }: Reading, value: JsonMembers, at: string): JsonObject {
  const document = withFieldsOfChain(value);
  const { config, problems, notes: own } = readDocument(value, document, context);
  fields.problems.push(...problems.map((problem) => `${at}.${problem}`));
  notes.push(...own.map((note) => `${at}: ${note}`));
  if (isVirtualServer(config)) {
    fields.problems.push(`${at}: found a virtual server; expected the run config of one server`);
  }
  return runConfigDocument(config);
}

/** Returns isolation as on for a container without the field. */
function isolationWhereMissing(document: JsonMembers): Partial<RunConfig> {
  const { isolate_network: isolated, remote_url: url, members, member_group: group } = document;
  const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
  return [isolated, url, members, group].every(isMissing) ? { isolate_network: true } : {};
}

function parseDocument(text: string, file: string): JsonMembers {
  const reading = readJson(text);
  if ('fault' in reading) throw badRunConfig(file, [reading.fault]);
  if (!isJsonObject(reading.value)) throw badRunConfig(file, ['the document: expected a map']);
  return ownMembers(reading.value);
}

/** Throws for an unknown format version. A missing version means the current one. */
function checkVersion(document: JsonMembers, file: string): void {
  const version = document['schema_version'];
  if (version === undefined || version === null || version === '' || version === RUN_CONFIG_VERSION) return;
  throw runConfigVersion(file, typeof version === 'string' ? version : typeof version, RUN_CONFIG_VERSION);
}

interface Reading {
  readonly fields: FieldReader;
  readonly map: JsonMembers;
  readonly context: PathContext | undefined;
  readonly notes: string[];
}

function readField(reading: Reading, name: string, is: RunConfigField['is']): unknown {
  const { fields, map, context } = reading;
  const part = (): JsonMembers => fields.object(map, name) ?? ownMembers({});
  const orNothing = <Part>(read: (part: JsonMembers) => Part): Part | undefined => {
    const members = fields.object(map, name);
    return members === undefined ? undefined : read(members);
  };
  switch (is) {
    case 'members':
      return readMembers(
        { fields, context, readConfig: (config, at) => readMemberConfig(reading, config, at) },
        part(),
        name,
      );
    case 'search':
      return orNothing((members) => readSearch(fields, members, name));
    case 'text':
      return fields.text(map, name);
    case 'integer':
      return fields.integer(map, name);
    case 'truth':
      return fields.truth(map, name);
    case 'switch':
      return fields.optionalTruth(map, name);
    case 'texts':
      return fields.texts(map, name);
    case 'text-map':
      return fields.textMap(map, name);
    case 'webhooks':
      return readWebhooks(fields, fields.objects(map, name), name);
    case 'objects':
      return fields.objects(map, name);
    case 'object':
      return orNothing((members) => (name === 'remote_auth_config' ? modernRemoteAuth(members) : members));
    case 'profile':
      return orNothing((members) => readProfile(fields, members));
    case 'ignore':
      return orNothing((members) => readIgnore(fields, members, name));
    case 'runtime':
      return orNothing((members) => readRuntime(fields, members, name));
    case 'headers':
      return orNothing((members) => readHeaders(fields, members, name));
    case 'oidc':
      return orNothing((members) => readOidc(fields, members, name));
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

/** Names of fields by their lower-case form. */
const SPELLED = new Map(
  [...Object.keys(RUN_CONFIG_FIELDS), ...DERIVED_FIELDS].map((name) => [foldCase(name), name]),
);

/**
 * Returns problems for field names with other capitals. Other tools accept them, so ignoring such a field
 * could lose a protection.
 */
function findOtherCapitals(document: JsonMembers): readonly string[] {
  return Object.keys(document).flatMap((key) => {
    const meant = isKnown(key) ? undefined : SPELLED.get(foldCase(key));
    return meant === undefined
      ? []
      : [`${quote(key)}: found other capitals; expected ${meant}, as which other tools read it`];
  });
}

function isKnown(key: string): boolean {
  return Object.hasOwn(RUN_CONFIG_FIELDS, key) || DERIVED_FIELDS.includes(key);
}

/** Returns sentences about ignored fields. `read` has the fields that were filled from a derived field. */
function noteOthers(members: JsonMembers, read: JsonMembers): readonly string[] {
  const others = Object.keys(members).filter((key) => !isKnown(key));
  const derived = DERIVED_FIELDS.filter((key) => {
    const value = members[key];
    return Array.isArray(value) && value.length > 0;
  });
  const taken = Object.keys(read).filter((key) => read[key] !== members[key]);
  const counts = taken.length === 0 ? 'does not count' : `counts for ${taken.join(' and ')} alone`;
  return [
    ...others.map((key) => `The field ${JSON.stringify(key.slice(0, 60))} is unknown and does not count.`),
    ...derived.map(
      (key) =>
        `The field ${key} ${counts}: the other fields say the ${taken.length === 0 ? 'same' : 'rest'}.`,
    ),
  ];
}

/**
 * Drops values that only other tools need: a remote server's URL as its image, labels that mark containers,
 * and the transport as the proxy mode. Returns a sentence for each dropped value that the user may miss.
 */
function withoutForeignNames(config: RunConfig): {
  readonly config: RunConfig;
  readonly notes: readonly string[];
} {
  const { image, remote_url: remoteUrl, container_labels: labels, proxy_mode: mode } = config;
  const foreign = Object.keys(labels).filter(isForeignLabel);
  const remaining = Object.entries(labels).filter(([key]) => !isForeignLabel(key));
  return {
    config: {
      ...config,
      image: isSameUrl(image, remoteUrl) ? '' : image,
      proxy_mode: mode === 'stdio' ? '' : mode,
      container_labels: Object.fromEntries(remaining),
    },
    notes:
      foreign.length === 0
        ? []
        : [`Labels by which another tool knows its own containers are left out: ${foreign.join(', ')}.`],
  };
}

function isSameUrl(image: string, remoteUrl: string): boolean {
  const url = URL.parse(remoteUrl);
  return url !== null && URL.parse(image)?.href === url.href;
}
