import { isJsonObject } from '../../document/json-members.ts';
import { unusableSetting } from '../../parse/parse-errors.ts';
import { textOf } from '../../parse/text-of.ts';
import { unreachable } from '../../parse/unreachable.ts';
import type { PathContext } from '../../parse/volume.ts';
import type { RunConfig } from '../run-config.ts';
import type { FieldCheck } from './field-check.ts';
import { FIELD_CHECKS, type FieldName } from './field-checks.ts';

export interface CheckedFields {
  /** Run config with the values that the checks returned. */
  readonly config: RunConfig;
  readonly problems: readonly string[];
}

/** Names of fields; parts follow their fields. */
const FIELD_NAMES = Object.keys(FIELD_CHECKS) as readonly FieldName[]; // the keys of the table

/** Checks every field. A field with its type's zero value counts as absent. */
export function checkFields(config: RunConfig, context: PathContext | undefined): CheckedFields {
  const problems: string[] = [];
  let checked: unknown = config;
  for (const name of FIELD_NAMES) {
    const keys = name.split('.');
    const value = valueAt(checked, keys);
    if (isAbsent(value) || isRemoteTarget(name, config)) continue;
    const fail = (error: unknown): void => void problems.push(textOf(error));
    const after = checkValue(FIELD_CHECKS[name], value, name, { context, fail });
    if (after !== value) checked = withValue(checked, keys, after);
  }
  return { config: checked as RunConfig, problems };
}

/**
 * Returns whether a field is the target of a remote server. Other tools write its port into the host, but the
 * URL already has both.
 */
function isRemoteTarget(name: FieldName, { remote_url: url }: RunConfig): boolean {
  return name === 'target_host' && url !== '';
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0 || value === false;
}

/** Checks one field and returns its stored form. Throws a coded error that names `place`. */
export function checkField(name: FieldName, value: unknown, place: string, context?: PathContext): unknown {
  return checkValue(FIELD_CHECKS[name], value, place, {
    context,
    fail: (error) => {
      throw error;
    },
  });
}

interface Checking {
  readonly context: PathContext | undefined;
  readonly fail: (error: unknown) => void;
}

function checkValue(row: FieldCheck, value: unknown, place: string, checking: Checking): unknown {
  const { context, fail } = checking;
  const attempt = <Value>(before: Value, check: () => Value): Value => {
    try {
      return check();
    } catch (error) {
      fail(error);
      return before;
    }
  };
  switch (row.of) {
    case 'text':
      if (typeof value === 'string') return attempt(value, () => row.check(value, place, context));
      break;
    case 'number':
      if (typeof value === 'number') return attempt(value, () => row.check(value, place, context));
      break;
    case 'truth':
      if (typeof value === 'boolean') return value;
      break;
    case 'texts':
      if (!isTexts(value)) break;
      return value.map((item, index) => attempt(item, () => row.check(item, `${place}[${index}]`, context)));
    case 'pairs':
      if (!isTextMap(value)) break;
      for (const [key, member] of Object.entries(value)) {
        attempt({ key, value: member }, () => row.check({ key, value: member }, place, context));
      }
      return value;
    case 'parts':
    case 'document':
      return value;
    default:
      return unreachable(row);
  }
  fail(unusableSetting(place, 'a value of another type', TYPES[row.of]));
  return value;
}

const TYPES = {
  text: 'a text',
  number: 'a number',
  truth: 'true or false',
  texts: 'a list of texts',
  pairs: 'a map of texts',
} as const;

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && isTexts(Object.values(value));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined;
}

function withValue(map: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const members = isJsonObject(map) ? map : {};
  return { ...members, [key]: rest.length === 0 ? value : withValue(members[key], rest, value) };
}
