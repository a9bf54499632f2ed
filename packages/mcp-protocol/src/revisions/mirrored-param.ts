import { decodeString, findValue } from '../message/json-text.ts';
import { isJsonObject, type JsonRecord, memberOf } from '../message/message.ts';
import { decodeFieldValue, encodeFieldValue } from './mirrored-name.ts';

/** An argument of a tool that clients repeat in a header. */
export interface MirroredParam {
  /** After `Mcp-Param-`, as declared. */
  readonly header: string;
  /** Names of members below `params.arguments`. */
  readonly path: readonly string[];
}

const NO_TOKEN = /^$|[^!#$%&'*+.^_`|~0-9A-Za-z-]/;
// Without `+`, of which V8 may remember each place: it throws at the four millionth of a text that is a number.
const NUMBER = /^-?[0-9][0-9]*(\.[0-9][0-9]*)?([eE][+-]?[0-9][0-9]*)?$/;
const TYPES = ['string', 'integer', 'boolean'];
/** What these are in JavaScript. */
const SCALARS = ['string', 'number', 'boolean'];
/** Deeper than any form a person fills in; a schema comes from a server. */
const MAX_LEVELS = 32;

/**
 * What the input schema of a tool declares with `x-mcp-header`, on properties
 * that are reached through `properties` alone. None when a declaration breaks
 * the rules: clients do not know such a tool.
 */
export function readMirroredParams(inputSchema: unknown): readonly MirroredParam[] {
  const found = isJsonObject(inputSchema) ? [...walk(inputSchema, [])] : [];
  const names = found.map(({ header }) => header.toLowerCase());
  return new Set(names).size < names.length || names.some((name) => NO_TOKEN.test(name)) ? [] : found;
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

/**
 * What is wrong with the headers `Mcp-Param-*` of a call, given as JSON;
 * undefined when they say what its arguments say. `headerOf` gives undefined for
 * a header that is not there.
 */
export function findParamFault(
  params: readonly MirroredParam[],
  text: string,
  headerOf: (name: string) => string | undefined,
): string | undefined {
  for (const { header, path } of params) {
    const name = `Mcp-Param-${header}`;
    const given = headerOf(name);
    const span = findValue(text, ['params', 'arguments', ...path]);
    const value = span === undefined ? 'null' : text.slice(span.start, span.end);
    const where = `"params.arguments.${path.join('.')}"`;
    if (value === 'null' && given === undefined) continue;
    if (value === 'null') return `${name} stands for ${where}, which is not there`;
    if (given === undefined) return `${name} is missing, for ${where}`;
    const decoded = decodeFieldValue(given);
    if (decoded === undefined) return `${name} is not valid base64 of UTF-8`;
    if (!isSame(value, decoded)) return `${name} differs from ${where}`;
  }
  return undefined;
}

/**
 * Says what becomes of a header `Mcp-Param-…` where the proxy has changed arguments;
 * undefined: there must be none. Which argument it repeats is known by its value, as
 * schemas are not known here. It follows all that it may repeat, and goes where they
 * do not agree: a text that was taken out of arguments is told in no header.
 */
export function paramFollower(before: unknown, after: unknown): (given: string) => string | undefined {
  const became = new Map<string, Set<string | undefined>>();
  for (const [was, is] of scalarsOf(before, after, 0)) {
    const key = plainOf(String(was));
    const values = became.get(key) ?? new Set();
    became.set(key, values.add(SCALARS.includes(typeof is) ? String(is) : undefined));
  }
  return (given) => {
    const decoded = decodeFieldValue(given);
    const values = decoded === undefined ? undefined : became.get(plainOf(decoded));
    const [value] = values ?? [];
    if (decoded === undefined || value === undefined || values?.size !== 1) return undefined;
    return plainOf(value) === plainOf(decoded) ? given : encodeFieldValue(value);
  };
}

/** What stands in arguments and can be repeated in a header, with what stands there now. */
function* scalarsOf(before: unknown, after: unknown, level: number): Generator<readonly [unknown, unknown]> {
  if (SCALARS.includes(typeof before)) yield [before, after];
  if (!isJsonObject(before) || level >= MAX_LEVELS) return;
  const now = isJsonObject(after) ? after : undefined;
  for (const [name, value] of Object.entries(before)) yield* scalarsOf(value, memberOf(now, name), level + 1);
}

/** One spelling for all of a number. */
function plainOf(text: string): string {
  return NUMBER.test(text) && Number.isSafeInteger(Number(text)) ? String(Number(text)) : text;
}

/** `value` is JSON of one value. Integers are compared as numbers: `42.0` is 42. */
function isSame(value: string, header: string): boolean {
  if (value.startsWith('"')) return decodeString(value) === header;
  if (value === header) return true;
  // Beyond that two different integers are the same number.
  const isComparable = /^-?[0-9]/.test(value) && NUMBER.test(header) && Number.isSafeInteger(Number(value));
  return isComparable && Number(value) === Number(header);
}
