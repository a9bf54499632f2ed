import { isJsonObject } from '@portolan/plugin-api';
import { h, type VNode } from 'preact';
import { choicesOf, type Field, NOT_CHOSEN, selectField, textArea, textField } from '../forms/fields.ts';
import type { Problems } from '../forms/problems.ts';
import type { JsonSchema } from '../parts/api-responses.ts';

type Shape = 'choice' | 'lines' | 'pairs' | 'long' | 'number' | 'text' | 'switch' | 'json';

/** Setting of a configuration block, or of a nested map with fixed keys. */
interface Setting {
  /** Path below the block, as in API errors: `auth.username`. */
  readonly path: string;
  readonly keys: readonly string[];
  readonly schema: JsonSchema;
  /** Whether a source cannot be created without the setting. */
  readonly required: boolean;
  /** Whether the setting is required when any other setting of the same map is given. */
  readonly neededBeside: boolean;
}

/** Maximum nesting depth of maps whose keys have fields. */
const MAX_DEPTH = 4;

export function blockField(path: string): string {
  return `block.${path}`;
}

export function settingsIn(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  return new Map(settingsOf(schema).map((setting) => [setting.path, setting.schema]));
}

/**
 * Returns the field for each path of the block. A map such as `auth` has no field, so its path gets the map's
 * first field.
 */
export function blockPlaces(schema: JsonSchema): readonly (readonly [place: string, field: string])[] {
  const settings = settingsOf(schema);
  const places = settings.flatMap(({ keys, path }) =>
    keys.map((_, at) => [keys.slice(0, at + 1).join('.'), path] as const),
  );
  // The first setting of a map wins.
  return [...new Map(places.toReversed())].map(([place, path]) => [place, blockField(path)] as const);
}

export function settingsOf(
  { properties = {}, required = [] }: JsonSchema,
  above: Pick<Setting, 'keys' | 'required'> = { keys: [], required: true },
): readonly Setting[] {
  return sorted(Object.keys(properties), required).flatMap((key): readonly Setting[] => {
    const keys = [...above.keys, key];
    const schema = properties[key] ?? {};
    const isNeeded = required.includes(key);
    if (isGroup(schema) && keys.length < MAX_DEPTH)
      return settingsOf(schema, { keys, required: above.required && isNeeded });
    const isRequired = above.required && isNeeded;
    return [
      { path: keys.join('.'), keys, schema, required: isRequired, neededBeside: isNeeded && !isRequired },
    ];
  });
}

function sorted(keys: readonly string[], required: readonly string[]): readonly string[] {
  return keys.toSorted((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
}

/** Returns whether a schema is a map with fixed keys, each of which gets a field. */
function isGroup({ type, properties = {}, additionalProperties }: JsonSchema): boolean {
  return type === 'object' && Object.keys(properties).length > 0 && !isJsonObject(additionalProperties);
}

/** Renders the fields of a block, required ones first. `typed` returns the text of each. */
export function blockFields(
  schema: JsonSchema,
  typed: (path: string) => string,
  problems: Problems,
): readonly VNode[] {
  const settings = settingsOf(schema);
  const fieldsBelow = (one: JsonSchema, above: readonly string[]): readonly VNode[] =>
    sorted(Object.keys(one.properties ?? {}), one.required ?? []).map((key) => {
      const keys = [...above, key];
      const path = keys.join('.');
      const setting = settings.find((known) => known.path === path);
      const inner = one.properties?.[key] ?? {};
      return setting === undefined
        ? group(keys, inner, fieldsBelow(inner, keys))
        : fieldOf(setting, typed(path), problems);
    });
  return fieldsBelow(schema, []);
}

function group(keys: readonly string[], schema: JsonSchema, fields: readonly VNode[]): VNode {
  const { title = inWords(keys.at(-1) ?? ''), description, oneOf } = schema;
  const ways = oneOf?.map(({ required }) => required.join(' and ')).join(', ');
  return h(
    'fieldset',
    {},
    h('legend', {}, title, ' ', h('code', { class: 'setting' }, keys.join('.'))),
    h('p', { class: 'hint' }, description?.replaceAll('`', '')),
    ways === undefined ? undefined : h('p', { class: 'hint' }, `Exactly one of ${ways}.`),
    fields,
  );
}

const CAPITALS = ['api', 'ca', 'http', 'https', 'id', 'ip', 'json', 'ssh', 'tls', 'uri', 'url'];

/** Converts a setting name to a label: `caCertPath` becomes `CA cert path`. */
export function inWords(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ')
    .map((word) => (CAPITALS.includes(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function fieldOf(
  { path, keys, schema, required, neededBeside }: Setting,
  value: string,
  problems: Problems,
): VNode {
  const { default: input } = schema;
  const left = input === undefined ? '' : ` Default: ${printed(input)}.`;
  const shape = shapeOf(schema);
  const how =
    shape === 'lines'
      ? ' One on each line.'
      : shape === 'pairs'
        ? ' One on each line, as Name: value.'
        : shape === 'json'
          ? ` As JSON${namesOf(schema)}.`
          : '';
  const field: Field = {
    name: blockField(path),
    label: schema.title ?? inWords(keys.at(-1) ?? ''),
    setting: path,
    hint: `${schema.description?.replaceAll('`', '') ?? ''}${how}${left}`.trim(),
    required,
    ...(neededBeside ? { neededWhen: 'if any of these' } : {}),
    problems,
  };
  const [example] = schema.examples ?? [];
  const placeholder = typeof example === 'string' && shape === 'text' ? example : undefined;
  switch (shape) {
    case 'choice':
      return selectField(field, value, [NOT_CHOSEN, ...choicesOf((schema.enum ?? []).map(String))]);
    case 'switch':
      return selectField(field, value, [
        NOT_CHOSEN,
        { value: 'true', text: 'yes' },
        { value: 'false', text: 'no' },
      ]);
    case 'number':
      return textField(field, value, { inputmode: 'numeric' });
    case 'text':
      return textField(field, value, { placeholder });
    case 'lines':
    case 'pairs':
      return textArea(field, value);
    case 'json':
      return textArea(field, value, { class: 'mono' });
    case 'long':
    default:
      return textArea(field, value, { rows: 12, class: 'mono' });
  }
}

/** Returns the required keys of a map; without any, the optional ones. */
function namesOf({ properties = {}, required = [] }: JsonSchema): string {
  const names = required.length > 0 ? required : Object.keys(properties);
  return names.length === 0 ? '' : ` with ${names.join(', ')}`;
}

export function shapeOf({ type, enum: choices, items, examples = [], ...schema }: JsonSchema): Shape {
  if (type === 'string' && choices !== undefined) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && items?.type === 'string') return 'lines';
  const { properties = {}, additionalProperties } = schema;
  const isMap = type === 'object' && Object.keys(properties).length === 0;
  if (isMap && isJsonObject(additionalProperties) && additionalProperties['type'] === 'string')
    return 'pairs';
  if (type !== 'string') return 'json';
  return examples.some((example) => String(example).startsWith('{')) ? 'long' : 'text';
}

function printed(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return value === true
    ? 'yes'
    : value === false
      ? 'no'
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
}

export function storedAt(block: Readonly<Record<string, unknown>>, path: string): unknown {
  let at: unknown = block;
  for (const key of path.split('.')) at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}

/** Returns the form text of a stored value. */
export function typedOf(schema: JsonSchema, value: unknown): string {
  if (value === undefined) return '';
  const shape = shapeOf(schema);
  if (shape === 'lines' && Array.isArray(value)) return value.join('\n');
  if (shape === 'pairs' && isJsonObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${String(one)}`)
      .join('\n');
  if (shape === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Returns whether a refused form may show the submitted text again. A field that can hold a secret shows only
 * URLs without credentials, query or variables.
 */
export function mayEcho(schema: JsonSchema, text: string): boolean {
  if (!holdsSecret(schema)) return true;
  const url = URL.parse(text.trim());
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain && url.search === '' && url.hash === '' && !text.includes('${');
}

function holdsSecret(schema: unknown): boolean {
  if (!isJsonObject(schema)) return Array.isArray(schema) && schema.some(holdsSecret);
  return schema['writeOnly'] === true || Object.values(schema).some(holdsSecret);
}
