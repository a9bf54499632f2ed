import { isJsonObject } from '@portolan/plugin-api';
import { badArgument } from '../terminal/terminal-errors.ts';

/** Schema of one argument, of which the parser reads the types. */
export type ArgumentSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the arguments of the command line: those of a JSON object, and words `KEY=VALUE`. A value is a
 * string if the schema says so, else JSON. Throws ERR_BAD_ARGUMENT.
 */
export function readArguments(
  words: readonly string[],
  json: string | undefined,
  properties: Readonly<Record<string, ArgumentSchema>>,
): Record<string, unknown> {
  const inputs = new Map<string, unknown>(json === undefined ? [] : Object.entries(parseObject(json)));
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) throw badArgument(`found ${JSON.stringify(word)}; expected KEY=VALUE`);
    const key = word.slice(0, at);
    if (inputs.has(key)) throw badArgument(`the argument ${JSON.stringify(key)} is given twice`);
    inputs.set(
      key,
      readValue(key, word.slice(at + 1), Object.hasOwn(properties, key) ? properties[key] : undefined),
    );
  }
  return Object.fromEntries(inputs);
}

/** Parses a word as a value of the schema. Without a schema, text that is not JSON is a string. */
export function readValue(key: string, text: string, schema: ArgumentSchema | undefined): unknown {
  const types = typesOf(schema);
  if (types.length > 0 && types.every((type) => type === 'string')) return text;
  try {
    const value: unknown = JSON.parse(text);
    // If a string is allowed, `"a"` is parsed as the string without its quotes, and a number stays text.
    return types.length > 0 && types.includes('string') && !types.includes(typeOf(value)) ? text : value;
  } catch {
    if (types.length === 0 || types.includes('string')) return text;
    throw badArgument(`${key}: found ${JSON.stringify(text)}; expected ${types.join(' or ')}, as JSON`);
  }
}

function typesOf(schema: ArgumentSchema | undefined): readonly string[] {
  const type = schema?.['type'];
  const listed: readonly unknown[] = Array.isArray(type) ? type : [type];
  const types = listed.filter((one) => typeof one === 'string');
  if (types.length > 0) return types;
  const choices = schema?.['enum'];
  return Array.isArray(choices) && choices.every((one) => typeof one === 'string') ? ['string'] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && Number.isInteger(value)) return 'integer';
  return typeof value;
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badArgument(`--args: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isJsonObject(value)) throw badArgument('--args: expected a JSON object, such as {"a": 1}');
  return value;
}
