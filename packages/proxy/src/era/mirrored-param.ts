import { decodeString, findValue } from '../message/json-text.ts';
import { isJsonObject, type JsonRecord, memberOf } from '../message/message.ts';
import { decodeFieldValue } from './mirrored-name.ts';

/** An argument of a tool that clients repeat in a header. */
export interface MirroredParam {
  /** After `Mcp-Param-`, as declared. */
  readonly header: string;
  /** Names of members below `params.arguments`. */
  readonly path: readonly string[];
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES = ['string', 'integer', 'boolean'];
/** Deeper than any form a person fills in; a schema comes from a server. */
const MOST_LEVELS = 32;

/**
 * What the input schema of a tool declares with `x-mcp-header`, on properties
 * that are reached through `properties` alone. None when a declaration breaks
 * the rules: clients do not know such a tool.
 */
export function readMirroredParams(inputSchema: unknown): readonly MirroredParam[] {
  const found = isJsonObject(inputSchema) ? [...walk(inputSchema, [])] : [];
  const names = found.map(({ header }) => header.toLowerCase());
  return new Set(names).size < names.length || names.some((name) => !TOKEN.test(name)) ? [] : found;
}

function* walk(schema: JsonRecord, path: readonly string[]): Generator<MirroredParam> {
  const properties = memberOf(schema, 'properties');
  if (!isJsonObject(properties) || path.length >= MOST_LEVELS) return;
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

/** `value` is JSON of one value. Integers are compared as numbers: `42.0` is 42. */
function isSame(value: string, header: string): boolean {
  if (value.startsWith('"')) return decodeString(value) === header;
  if (value === header) return true;
  const isNumber = /^-?[0-9]/.test(value) && /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(header);
  // Beyond that two different integers are the same number.
  return isNumber && Number(value) === Number(header) && Number.isSafeInteger(Number(value));
}
