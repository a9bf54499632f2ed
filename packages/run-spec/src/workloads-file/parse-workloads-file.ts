import { FieldReader, pathOf } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../document/json-members.ts';
import { readYaml } from '../members-file/read-yaml.ts';
import { textOf } from '../parse/text-of.ts';
import type { PathContext } from '../parse/volume.ts';
import { isConfigFile } from '../run-config/members/check-member.ts';
import { refuseUnknown } from '../run-config/members/refuse-unknown.ts';
import { checkWorkloadName } from '../target/workload-name.ts';
import { readKind, readWorkload, settingKeysOf, type WorkloadReading } from './read-workload.ts';
import { badWorkloadsFile } from './workloads-file-errors.ts';
import {
  type FileWorkload,
  MAX_FILE_WORKLOADS,
  WORKLOAD_KINDS,
  type WorkloadKind,
  type WorkloadsFile,
} from './workloads-file.ts';

const KEYS = ['name', 'secrets', 'defaults', 'workloads'];

/**
 * Parses a workloads file, YAML or JSON. Relative paths in it begin at the working directory of `context`.
 * Throws ERR_SETTING with every problem and its place.
 */
export function parseWorkloadsFile(text: string, file: string, context?: PathContext): WorkloadsFile {
  const reading = readYaml(text);
  if ('fault' in reading) throw badWorkloadsFile(file, [reading.fault]);
  if (!isJsonObject(reading.value)) throw badWorkloadsFile(file, ['the document: expected a map']);
  const document = ownMembers(reading.value);
  const fields = new FieldReader('');
  refuseUnknown(fields, document, '', { known: KEYS });
  const name = readName(fields, document);
  const secrets = fields.texts(document, 'secrets');
  secrets.forEach((secret, index) => {
    if (secret.trim() === '') fields.problem(`secrets[${index}]`, undefined, 'the name of a secret');
  });
  const defaults = readDefaults({ fields, context }, document);
  const workloads = readWorkloads({ fields, context }, document, defaults);
  if (fields.problems.length > 0) throw badWorkloadsFile(file, fields.problems);
  return { name, secrets, workloads };
}

function readName(fields: FieldReader, document: JsonMembers): string {
  const name = fields.text(document, 'name');
  if (name === '')
    fields.problem('name', undefined, 'a name, by which later runs recognize the workloads of this file');
  else checkName(fields, name, 'name');
  return name;
}

function checkName(fields: FieldReader, name: string, place: string): void {
  try {
    checkWorkloadName(name, place);
  } catch (error) {
    fields.problems.push(textOf(error));
  }
}

/** Kinds of workloads that `defaults` applies to. */
const DEFAULTED = WORKLOAD_KINDS.filter((kind) => kind !== 'config');

/** Reads `defaults`. Returns no defaults if they have problems, so that each problem is reported once. */
function readDefaults({ fields, context }: WorkloadReading, document: JsonMembers): JsonMembers {
  const defaults = fields.object(document, 'defaults') ?? ownMembers({});
  const before = fields.problems.length;
  const known = [...new Set(DEFAULTED.flatMap((kind) => settingKeysOf(kind)))];
  refuseUnknown(fields, defaults, 'defaults', { known });
  // A remote server and a container have different settings, so that each kind reads its own.
  for (const kind of ['run', 'url'] as const) {
    const own = new FieldReader('');
    const settings = ownMembers({ ...pick(defaults, settingKeysOf(kind)), [kind]: EXAMPLES[kind] });
    readWorkload({ fields: own, context }, 'defaults', settings, kind, 'defaults');
    fields.problems.push(...own.problems.filter((problem) => !fields.problems.includes(problem)));
  }
  return fields.problems.length > before ? ownMembers({}) : defaults;
}

/** Example targets, because the parser checks `defaults` as the settings of a complete workload. */
const EXAMPLES = { run: 'example:1', url: 'https://example.com/mcp' } as const;

function readWorkloads(
  reading: WorkloadReading,
  document: JsonMembers,
  defaults: JsonMembers,
): readonly FileWorkload[] {
  const { fields } = reading;
  const entries = Object.entries(fields.object(document, 'workloads') ?? {});
  if (entries.length === 0) fields.problem('workloads', undefined, 'at least one workload');
  if (entries.length > MAX_FILE_WORKLOADS) {
    fields.problems.push(
      `workloads: found ${entries.length} workloads; expected at most ${MAX_FILE_WORKLOADS}`,
    );
    return [];
  }
  return entries.flatMap(([name, value]) => {
    const place = pathOf('workloads', name);
    checkName(fields, name, place);
    if (!isJsonObject(value)) {
      fields.problem(place, value, `a map with one of ${WORKLOAD_KINDS.join(', ')}`);
      return [];
    }
    const map = ownMembers(value);
    const kind = readKind(fields, map, place);
    if (kind === undefined) return [];
    return [readWorkload(reading, name, withDefaults(map, defaults, kind), kind, place)];
  });
}

/**
 * Returns the settings of a workload with the defaults that apply to its kind. In a map, such as `env`, the
 * keys of both apply, and those of the workload take precedence. Other values of the workload replace the default.
 */
function withDefaults(map: JsonMembers, defaults: JsonMembers, kind: WorkloadKind): JsonMembers {
  const { run: target } = map;
  const isFile = typeof target === 'string' && isConfigFile(target);
  if (isFile) return map;
  const merged: Record<string, unknown> = { ...map };
  for (const [key, value] of Object.entries(pick(defaults, settingKeysOf(kind)))) {
    const own = map[key];
    if (own === undefined) merged[key] = value;
    else if (isJsonObject(own) && isJsonObject(value)) merged[key] = { ...value, ...own };
  }
  return ownMembers(merged);
}

function pick(map: JsonMembers, keys: readonly string[]): JsonMembers {
  return ownMembers(Object.fromEntries(Object.entries(map).filter(([key]) => keys.includes(key))));
}
