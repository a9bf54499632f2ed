import { isJsonObject } from '@portolan/plugin-api';
import type { VNode } from 'preact';
import { linesOf } from '../forms/form.ts';
import { type Field, selectField, textArea, textField } from '../forms/fields.ts';
import type { Problems } from '../forms/problems.ts';
import type { JsonSchema } from '../parts/api-answers.ts';

/** How a setting is typed. */
type Shape = 'choice' | 'lines' | 'long' | 'number' | 'text' | 'switch' | 'json';

/** Name of the field of a setting. */
export function blockField(key: string): string {
  return `block.${key}`;
}

/** The fields of a block by its schema, those that are needed first. `typed` is the text of each. */
export function blockFields(
  schema: JsonSchema,
  typed: (key: string) => string,
  problems: Problems,
): readonly VNode[] {
  const { properties = {}, required = [] } = schema;
  const keys = Object.keys(properties).toSorted(
    (a, b) => Number(required.includes(b)) - Number(required.includes(a)),
  );
  return keys.map((key) => fieldOf(key, properties[key] ?? {}, required.includes(key), typed(key), problems));
}

function fieldOf(
  key: string,
  schema: JsonSchema,
  required: boolean,
  value: string,
  problems: Problems,
): VNode {
  const { default: given } = schema;
  const left = given === undefined ? '' : ` Left out: ${printed(given)}.`;
  const shape = shapeOf(schema);
  const how =
    shape === 'lines' ? ' One on each line.' : shape === 'json' ? ` As JSON${namesOf(schema)}.` : '';
  const field: Field = {
    name: blockField(key),
    label: key,
    hint: `${schema.description?.replaceAll('`', '') ?? ''}${how}${left}`.trim(),
    required,
    problems,
  };
  const [example] = schema.examples ?? [];
  const placeholder = typeof example === 'string' && shape === 'text' ? example : undefined;
  switch (shape) {
    case 'choice':
      return selectField(field, value, [
        { value: '', text: '—' },
        ...(schema.enum ?? []).map((one) => ({ value: String(one), text: String(one) })),
      ]);
    case 'switch':
      return selectField(field, value, [
        { value: '', text: '—' },
        { value: 'true', text: 'yes' },
        { value: 'false', text: 'no' },
      ]);
    case 'number':
      return textField(field, value, { inputmode: 'numeric' });
    case 'text':
      return textField(field, value, { placeholder });
    case 'lines':
      return textArea(field, value);
    case 'json':
      return textArea(field, value, { class: 'mono' });
    case 'long':
    default:
      return textArea(field, value, { rows: 12, class: 'mono' });
  }
}

/** Of a map: what has to stand in it, or may. */
function namesOf({ properties = {}, required = [] }: JsonSchema): string {
  const names = required.length > 0 ? required : Object.keys(properties);
  return names.length === 0 ? '' : ` with ${names.join(', ')}`;
}

function shapeOf({ type, enum: choices, items, examples = [] }: JsonSchema): Shape {
  if (type === 'string' && choices !== undefined) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && items?.type === 'string') return 'lines';
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

/** The text of a setting that is stored. */
export function typedOf(schema: JsonSchema, value: unknown): string {
  if (value === undefined) return '';
  const shape = shapeOf(schema);
  if (shape === 'lines' && Array.isArray(value)) return value.join('\n');
  if (shape === 'json') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A block as it was typed, and what cannot be read of it, by field. Empty fields are left out. */
export function readBlock(
  schema: JsonSchema,
  form: URLSearchParams,
): {
  readonly block: Readonly<Record<string, unknown>>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
} {
  const problems = new Map<string, readonly string[]>();
  const pairs = Object.entries(schema.properties ?? {}).flatMap(([key, one]): [string, unknown][] => {
    const name = blockField(key);
    const text = form.get(name)?.trim() ?? '';
    if (text === '') return [];
    const read = readValue(one, text);
    if (read === undefined) problems.set(name, ['This is no JSON.']);
    return read === undefined ? [] : [[key, read.value]];
  });
  return { block: Object.fromEntries(pairs), problems };
}

/** undefined: it cannot be read. What is no number goes as text, which the server refuses in its own words. */
function readValue(schema: JsonSchema, text: string): { readonly value: unknown } | undefined {
  switch (shapeOf(schema)) {
    case 'lines':
      return { value: linesOf(text) };
    case 'switch':
      return { value: text === 'true' ? true : text === 'false' ? false : text };
    case 'number':
      return { value: /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text };
    case 'json':
      try {
        return { value: JSON.parse(text) };
      } catch {
        return undefined; // told at its place
      }
    case 'choice':
    case 'long':
    case 'text':
    default:
      return { value: text };
  }
}

/** Whether what was typed may be shown again: nothing that may be a secret, but addresses without anything secret in them. */
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
