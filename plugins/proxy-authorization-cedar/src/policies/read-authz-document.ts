import { type ConfigBlock, isJsonObject } from '@portolan/plugin-api';
import { parseDocument } from 'yaml';
import { type CedarConfig, cedarConfig } from '../cedar-config.ts';

export type ReadDocument = { readonly config: CedarConfig } | { readonly fault: string };

/** Parses a policy file like the start does: as YAML by its extension, else as JSON. */
export function readAuthzDocument(text: string, file: string): ReadDocument {
  const value = /\.ya?ml$/i.test(file) ? parseYaml(text) : parseJson(text);
  if (typeof value === 'string') return { fault: value };
  const completed = complete(cedarConfig, value.value, '');
  // SAFETY: `complete` has just checked its form.
  return typeof completed === 'string' ? { fault: completed } : { config: completed.value as CedarConfig };
}

interface Parsed {
  readonly value: unknown;
}

function parseYaml(text: string): Parsed | string {
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) return `it is no YAML: ${firstLine(error.message)}`;
    return { value: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return `it is no YAML: ${firstLine(error instanceof Error ? error.message : String(error))}`;
  }
}

function parseJson(text: string): Parsed | string {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return `it is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Fills in defaults, or returns a string about the first invalid part. */
function complete(block: ConfigBlock, value: unknown, place: string): Parsed | string {
  const at = place === '' ? 'the document' : place;
  if (block.type === 'object') {
    return isJsonObject(value) ? completeMap(block, value, place) : `${at} is not a map`;
  }
  if (block.type === 'array') {
    if (!Array.isArray(value)) return `${at} is not a list`;
    return value.length < (block.minItems ?? 0) ? `${at} is empty` : completeList(block, value, place);
  }
  if (block.type === 'boolean') {
    return typeof value === 'boolean' ? { value } : `${at} is neither true nor false`;
  }
  if (block.type !== 'string' || typeof value !== 'string') return `${at} is not a string`;
  if (value.length < (block.minLength ?? 0)) return `${at} is empty`;
  if (block.enum !== undefined && !block.enum.includes(value)) {
    return `${at} is ${JSON.stringify(value)}, not ${block.enum.join(' or ')}`;
  }
  const fits = block.pattern === undefined || new RegExp(block.pattern, 'u').test(value);
  return fits ? { value } : `${at} does not fit ${block.pattern}`;
}

function completeMap(
  { properties = {}, required = [] }: ConfigBlock,
  input: Readonly<Record<string, unknown>>,
  place: string,
): Parsed | string {
  const within = (name: string): string => (place === '' ? name : `${place}.${name}`);
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) return `${within(unknown.slice(0, 60))} is no key of it`;
  const members: [string, unknown][] = [];
  for (const [name, block] of Object.entries(properties)) {
    const value = input[name] ?? block.default;
    if (value === undefined) {
      if (required.includes(name)) return `${within(name)} is missing`;
      continue;
    }
    const completed = complete(block, value, within(name));
    if (typeof completed === 'string') return completed;
    members.push([name, completed.value]);
  }
  return { value: Object.fromEntries(members) };
}

function completeList({ items }: ConfigBlock, inputs: readonly unknown[], place: string): Parsed | string {
  const list: unknown[] = [];
  for (const [at, item] of inputs.entries()) {
    const completed = items === undefined ? { value: item } : complete(items, item, `${place}[${at}]`);
    if (typeof completed === 'string') return completed;
    list.push(completed.value);
  }
  return { value: list };
}
