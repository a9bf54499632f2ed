import { decodeString, findValue } from '../message/json-text.ts';
import { isJsonObject, type JsonRecord, memberOf } from '../message/message.ts';
import { decodeFieldValue, encodeFieldValue } from './mirrored-name.ts';

export interface MirroredParam {
  /** Name without the prefix `Mcp-Param-`. */
  readonly header: string;
  readonly path: readonly string[];
}

const NO_TOKEN = /^$|[^!#$%&'*+.^_`|~0-9A-Za-z-]/;
// Without `+`: V8 may store a backtracking position per repetition, and throws for numbers with millions of
// digits.
const NUMBER = /^-?[0-9][0-9]*(\.[0-9][0-9]*)?([eE][+-]?[0-9][0-9]*)?$/;
const TYPES = ['string', 'integer', 'boolean'];
const SCALARS = ['string', 'number', 'boolean'];
/** Maximum depth of a schema, which comes from a server. */
const MAX_LEVELS = 32;

/**
 * Returns arguments with `x-mcp-header` in the schema, reached through `properties` only. Empty when a
 * declaration is invalid, because clients ignore such a tool.
 */
export function readMirroredParams(inputSchema: unknown): readonly MirroredParam[] {
  const mirroredParams = isJsonObject(inputSchema) ? [...walk(inputSchema, [])] : [];
  const names = mirroredParams.map(({ header }) => header.toLowerCase());
  return new Set(names).size < names.length || names.some((name) => NO_TOKEN.test(name))
    ? []
    : mirroredParams;
}

function* walk(schema: JsonRecord, path: readonly string[]): Generator<MirroredParam> {
  const properties = memberOf(schema, 'properties');
  if (!isJsonObject(properties) || path.length >= MAX_LEVELS) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const header = memberOf(property, 'x-mcp-header');
    const type = memberOf(property, 'type');
    const here = [...path, name];
    if (typeof header === 'string' && typeof type === 'string' && TYPES.includes(type)) {
      yield { header, path: here };
    }
    yield* walk(property, here);
  }
}

/** Returns the mismatch between the `Mcp-Param-*` headers and the arguments of a call, given as JSON. */
export function findParamFault(
  params: readonly MirroredParam[],
  text: string,
  headerOf: (name: string) => string | undefined,
): string | undefined {
  for (const { header, path } of params) {
    const name = `Mcp-Param-${header}`;
    const input = headerOf(name);
    const span = findValue(text, ['params', 'arguments', ...path]);
    const value = span === undefined ? 'null' : text.slice(span.start, span.end);
    const where = `"params.arguments.${path.join('.')}"`;
    if (value === 'null' && input === undefined) continue;
    if (value === 'null') return `${name} repeats ${where}, which is missing`;
    if (input === undefined) return `${name} is missing for ${where}`;
    const decoded = decodeFieldValue(input);
    if (decoded === undefined) return `${name} is not valid base64 of UTF-8`;
    if (!isSame(value, decoded)) return `${name} differs from ${where}`;
  }
  return undefined;
}

/**
 * Returns a function that maps the value of an `Mcp-Param-*` header to its value after the arguments changed.
 * It finds the argument by the old value, and returns undefined to remove the header.
 */
export function paramFollower(before: unknown, after: unknown): (input: string) => string | undefined {
  const became = new Map<string, Set<string | undefined>>();
  for (const [was, is] of scalarsOf(before, after, 0)) {
    const key = plainOf(String(was));
    const values = became.get(key) ?? new Set();
    became.set(key, values.add(SCALARS.includes(typeof is) ? String(is) : undefined));
  }
  return (input) => {
    const decoded = decodeFieldValue(input);
    const values = decoded === undefined ? undefined : became.get(plainOf(decoded));
    const [value] = values ?? [];
    if (decoded === undefined || value === undefined || values?.size !== 1) return undefined;
    return plainOf(value) === plainOf(decoded) ? input : encodeFieldValue(value);
  };
}

function* scalarsOf(before: unknown, after: unknown, level: number): Generator<readonly [unknown, unknown]> {
  if (SCALARS.includes(typeof before)) yield [before, after];
  if (!isJsonObject(before) || level >= MAX_LEVELS) return;
  const now = isJsonObject(after) ? after : undefined;
  for (const [name, value] of Object.entries(before)) yield* scalarsOf(value, memberOf(now, name), level + 1);
}

function plainOf(text: string): string {
  return NUMBER.test(text) && Number.isSafeInteger(Number(text)) ? String(Number(text)) : text;
}

/** Returns whether a header equals an argument. Compares integers as numbers, so `42.0` equals `42`. */
function isSame(value: string, header: string): boolean {
  if (value.startsWith('"')) return decodeString(value) === header;
  if (value === header) return true;
  // Returns whether a number is in the safe range; beyond it, two different integers may be the same number.
  const isComparable = /^-?[0-9]/.test(value) && NUMBER.test(header) && Number.isSafeInteger(Number(value));
  return isComparable && Number(value) === Number(header);
}
