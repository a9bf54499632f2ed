import { parseDuration } from '@portolan/plugin-api';
import { type FieldReader, pathOf } from '../document/field-reader.ts';
import type { JsonMembers } from '../document/json-members.ts';
import {
  MEMBER_FIELDS,
  type MemberField,
  REMOTE_AUTH_FIELDS,
  TOKEN_EXCHANGE_FIELDS,
} from '../members/member-fields.ts';
import { isDuration } from '../parse/duration.ts';
import { findSecretReference } from '../parse/secret-reference.ts';
import { textOf } from '../parse/text-of.ts';
import { unreachable } from '../parse/unreachable.ts';
import type { PathContext } from '../parse/volume.ts';
import { checkField } from '../run-config/checks/check-fields.ts';
import type { FlagRow } from '../settings/flag-row.ts';
import { isOfServer } from '../settings/refuse-server-flags.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, type RunFlags } from '../settings/run-flags.ts';
import type { WorkloadKind } from './workloads-file.ts';

const SHORT_TABLES: readonly Readonly<Record<string, Pick<MemberField, 'flag'>>>[] = [
  MEMBER_FIELDS,
  REMOTE_AUTH_FIELDS,
  TOKEN_EXCHANGE_FIELDS,
];

/** Flags that have another key in a workload, which members of a virtual server have too, or that name the workload. */
const OF_SHORT_FORM: ReadonlySet<string> = new Set([
  'name',
  'members',
  'member-group',
  ...SHORT_TABLES.flatMap((table) => Object.values(table).flatMap(({ flag }) => flag ?? [])),
]);

/**
 * Other flags of `run` by their key in a workloads file: the name of the flag, with `_` in place of `-`. They
 * are settings of the proxy, which members of a virtual server do not have.
 */
export const FLAG_KEYS: ReadonlyMap<string, RunFlagName> = new Map(
  RUN_FLAG_NAMES.filter((name) => !OF_SHORT_FORM.has(flagRow(name).flag)).map((name) => [
    flagRow(name).flag.replaceAll('-', '_'),
    name,
  ]),
);

/** Returns the keys of `FLAG_KEYS` that apply to a kind of workload. */
export function flagKeysOf(kind: WorkloadKind): readonly string[] {
  const keys = [...FLAG_KEYS];
  if (kind === 'config') return [];
  if (kind === 'run') return keys.map(([key]) => key);
  const isApplicable = (name: RunFlagName): boolean =>
    kind === 'url' ? flagRow(name).only !== 'container' : !isOfServer(name);
  return keys.filter(([, name]) => isApplicable(name)).map(([key]) => key);
}

/** Reads the settings of `FLAG_KEYS`, with every problem and its place. */
export function readFlagKeys(
  fields: FieldReader,
  map: JsonMembers,
  at: string,
  context: PathContext | undefined,
): RunFlags {
  const read = [...FLAG_KEYS].flatMap(([key, name]) => {
    if (map[key] === undefined || map[key] === null) return [];
    const row = flagRow(name);
    const before = fields.problems.length;
    const value = readValue(fields, map, key, at, row);
    if (fields.problems.length === before) refuseClearSecrets(fields, key, value, pathOf(at, key));
    if (fields.problems.length === before) checkValue(fields, row, value, pathOf(at, key), context);
    return [[name, value] as const];
  });
  // Each value has the type of its row.
  return Object.fromEntries(read);
}

function readValue(fields: FieldReader, map: JsonMembers, key: string, at: string, { is }: FlagRow): unknown {
  switch (is) {
    case 'text':
      return fields.text(map, key, at);
    case 'texts':
    case 'list':
      return fields.texts(map, key, at);
    case 'truth':
      return fields.truth(map, key, at);
    case 'integer':
      return fields.integer(map, key, at);
    case 'number':
      if (typeof map[key] !== 'number') fields.problem(pathOf(at, key), map[key], 'a number');
      return map[key];
    case 'duration': {
      const text = fields.text(map, key, at);
      if (isDuration(text)) return parseDuration(text);
      fields.problem(pathOf(at, key), map[key], 'a duration such as 30s');
      return 0;
    }
    default:
      return unreachable(is);
  }
}

/** Checks a value like its flag of `run`. The parsers of named files check their content later. */
function checkValue(
  fields: FieldReader,
  row: FlagRow,
  value: unknown,
  place: string,
  context: PathContext | undefined,
): void {
  const { is, names, convert, setting } = row;
  if (names === 'files' || is === 'duration' || setting?.write !== undefined) return;
  try {
    // SAFETY: `readValue` returned a value of the row's type.
    const converted =
      convert === undefined ? value : (convert as (input: unknown, at: string) => unknown)(value, place);
    checkField(row.field, converted, place, context);
  } catch (error) {
    fields.problems.push(textOf(error));
  }
}

/** Keys whose values `run` accepts in plain text and moves to the secret store. A file has only references. */
const SECRET_KEYS: readonly string[] = ['oidc_client_secret', 'otel_headers'];

/** Refuses secrets in plain text: no workloads file holds a secret. */
function refuseClearSecrets(fields: FieldReader, key: string, value: unknown, place: string): void {
  if (!SECRET_KEYS.includes(key)) return;
  const secrets = Array.isArray(value)
    ? value.map((text) => String(text).replace(/^[^=,]*=/, ''))
    : [String(value)];
  if (secrets.every((secret) => findSecretReference(secret) !== undefined)) return;
  fields.problems.push(
    `${place}: found a secret in plain text; expected a reference to it, NAME,target=TARGET`,
  );
}
