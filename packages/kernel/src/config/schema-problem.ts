import type { ErrorObject } from 'ajv/dist/2020.js';
import { formatConfigPath, type ConfigPath, type PositionFinder } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { describeValue, kindOfValue, oneOf } from '../faults/describe-value.ts';
import { nearest } from '@portolan/plugin-api';
import { isPlainMap } from './plain-data.ts';

/**
 * Converts an error of ajv to a problem of the configuration. Returns undefined for an error that only
 * repeats others. `start` is the place of `root`, the validated value.
 */
export function toProblem(
  error: ErrorObject,
  root: unknown,
  start: ConfigPath,
  positionOf: PositionFinder,
): readonly ConfigProblem[] {
  const at = [...start, ...readPointer(error.instancePath, root)];
  const { place, found, expected, didYouMean } = explain(error, at);
  return [
    configProblem(formatConfigPath(place), found, expected, { didYouMean, position: positionOf(place) }),
  ];
}

interface Explained {
  readonly place: ConfigPath;
  readonly found: string;
  readonly expected: string;
  readonly didYouMean?: string | undefined;
}

function explain(error: ErrorObject, at: ConfigPath): Explained {
  // ajv writes it for each keyword: a record with the keyword's parameters.
  const params = error.params as Readonly<Record<string, unknown>>;
  const schema: Schema = isPlainMap(error.parentSchema) ? error.parentSchema : {};
  switch (error.keyword) {
    case 'required':
      return missing(schema, [...at, String(params['missingProperty'])]);
    case 'additionalProperties':
      return unknownKey(schema, at, String(params['additionalProperty']));
    case 'anyOfKeys': {
      const [first = '', ...others] = listOf(schema['anyOfKeys']).map(String);
      return { place: [...at, first], found: 'nothing', expected: ['a value', ...others].join(', or ') };
    }
    case 'oneOfKeys':
      return wrongGroups(schema, at, error.data);
    case 'type':
      return {
        place: at,
        found: mistyped(error.data, schema),
        expected: expectedInstead(error.data, schema),
      };
    case 'enum': {
      const choices = listOf(schema['enum']).map(String);
      const didYouMean = typeof error.data === 'string' ? nearest(error.data, choices) : undefined;
      return {
        place: at,
        found: describeValue(error.data, schema['secret'] === true),
        expected: expectedBy(schema),
        didYouMean,
      };
    }
    case 'minItems':
    case 'uniqueItems':
      return {
        place: at,
        found: error.keyword === 'minItems' ? countOf(error.data) : 'an item twice',
        expected: expectedBy(schema),
      };
    default:
      return {
        place: at,
        found: describeValue(error.data, schema['secret'] === true),
        expected: expectedBy(schema),
      };
  }
}

function missing(schema: Schema, place: ConfigPath): Explained {
  const inner = innerSchema(schema, String(place.at(-1)));
  return { place, found: 'nothing', expected: inner === undefined ? 'a value' : expectedBy(inner) };
}

function unknownKey(schema: Schema, at: ConfigPath, key: string): Explained {
  const known = Object.keys(isPlainMap(schema['properties']) ? schema['properties'] : {});
  // A plugin that provides this key may be missing, so the message also says where more keys come from; see
  // `composeCoreSchema`.
  const choices = typeof schema['moreKeys'] === 'string' ? [...known, schema['moreKeys']] : known;
  const expected = choices.length === 0 ? 'no keys here' : oneOf(choices);
  return { place: [...at, key], found: 'an unknown key', expected, didYouMean: nearest(key, known) };
}

function wrongGroups(schema: Schema, at: ConfigPath, data: unknown): Explained {
  const groups = listOf(schema['oneOfKeys']).map((group) => listOf(group).map(String));
  const inputs = groups.flat().filter((key) => isPlainMap(data) && Object.hasOwn(data, key));
  const expected = oneOf(groups.map((group) => group.join(' with ')));
  const found = inputs.length === 0 ? 'none of these keys' : inputs.join(' and ');
  return { place: at, found, expected: groups.length > 1 ? `exactly ${expected}` : expected };
}

type Schema = Readonly<Record<string, unknown>>;

function innerSchema(schema: Schema, key: string): Schema | undefined {
  const properties = schema['properties'];
  const inner = isPlainMap(properties) ? properties[key] : undefined;
  return isPlainMap(inner) ? inner : undefined;
}

/** Describes a value of the wrong type by its type only, because the value may be a secret. */
function mistyped(data: unknown, schema: Schema): string {
  const scalar = typeof schema['type'] === 'string' && !['object', 'array'].includes(schema['type']);
  return scalar ? describeValue(data, schema['secret'] === true) : kindOfValue(data);
}

function expectedBy(schema: Schema): string {
  if (typeof schema['expected'] === 'string') return schema['expected'];
  if (Array.isArray(schema['enum'])) return oneOf(schema['enum'].map(String));
  switch (schema['type']) {
    case 'string':
      return expectedText(schema);
    case 'integer':
      return `a whole number${rangeOf(schema)}`;
    case 'number':
      return `a number${rangeOf(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return expectedList(schema);
    default:
      return 'a map';
  }
}

function expectedInstead(data: unknown, schema: Schema): string {
  const expected = expectedBy(schema);
  const { default: example } = schema;
  const isExplained = expected !== 'a text' || typeof data !== 'number' || typeof example !== 'string';
  return isExplained ? expected : `${expected} such as ${example}`;
}

function expectedText(schema: Schema): string {
  switch (schema['format']) {
    case 'duration':
      return 'a duration such as 30s or 1h30m';
    case 'uri':
      return 'an address with its scheme, such as https://acme.example';
    case 'date-time':
      return 'a time such as 2026-01-31T08:00:00Z';
    case 'path':
      return 'a path';
    default:
  }
  if (typeof schema['pattern'] === 'string') return `a text that matches ${schema['pattern']}`;
  const { minLength: least, maxLength: most } = schema;
  if (typeof most === 'number')
    return `a text of ${typeof least === 'number' ? least : 0} to ${most} characters`;
  if (least === 1) return 'a text that is not empty';
  return typeof least === 'number' ? `a text of ${least} characters or more` : 'a text';
}

function expectedList(schema: Schema): string {
  const distinct = schema['uniqueItems'] === true ? ' of different items' : '';
  const least = schema['minItems'];
  if (typeof least !== 'number' || least === 0) return `a list${distinct}`;
  return `a list${distinct} with at least ${least === 1 ? 'one item' : `${least} items`}`;
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` from ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `, ${minimum} or more`;
  return typeof maximum === 'number' ? `, ${maximum} or less` : '';
}

function countOf(data: unknown): string {
  const { length } = listOf(data);
  return length === 0 ? 'an empty list' : `a list of ${length}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Converts a JSON pointer to a place. Needs `root`, the validated value, to tell list indexes from map keys.
 */
function readPointer(pointer: string, root: unknown): ConfigPath {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(value)) {
        value = value[Number(key)];
        return Number(key);
      }
      value = isPlainMap(value) ? value[key] : undefined;
      return key;
    });
}
