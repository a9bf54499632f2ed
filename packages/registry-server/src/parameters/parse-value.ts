import type { ConfigBlock } from '@portolan/plugin-api';
import type { Parameter } from './parameter.ts';

type Value = string | number | boolean | readonly string[];

/** Parses the text of a parameter. Undefined when its schema rejects the text. */
export type ParseValue = (text: string) => Value | undefined;

export function createParser({ schema, cap, ignoresCase }: Parameter): ParseValue {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return (text) => parseInteger(text, schema, cap);
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : undefined);
    case 'array':
      return listParser(schema, ignoresCase === true);
    case 'string':
    case 'object':
    default:
      return stringParser(schema, ignoresCase === true);
  }
}

/** Parses an integer. Rejects forms such as `1e9`, `+5`, `-1` and `0x10`. */
function parseInteger(text: string, schema: ConfigBlock, cap: number | undefined): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const value = Math.min(Number(text), cap ?? Number.POSITIVE_INFINITY);
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return value >= minimum && value <= maximum ? value : undefined;
}

function stringParser(schema: ConfigBlock, ignoresCase: boolean): ParseValue {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, 'u');
  return (input) => {
    const text = ignoresCase ? input.toLowerCase() : input;
    if (text.length < minLength || text.length > maxLength) return undefined;
    if (schema.enum !== undefined && !schema.enum.includes(text)) return undefined;
    if (schema.format === 'date-time' && !isDateTime(text)) return undefined;
    return pattern === undefined || pattern.test(text) ? text : undefined;
  };
}

function listParser(schema: ConfigBlock, ignoresCase: boolean): ParseValue {
  const parseItem = stringParser(schema.items ?? { type: 'string' }, ignoresCase);
  return (text) => {
    const items = text.split(',').map((item) => parseItem(item.trim()));
    const good = items.filter((item) => typeof item === 'string');
    if (good.length !== items.length) return undefined;
    return [...new Set(good)].toSorted();
  };
}

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Returns whether a text is a time by RFC 3339, section 5.6. Rejects leap seconds, which JavaScript cannot
 * represent.
 */
function isDateTime(text: string): boolean {
  const [, year, month, day] = DATE_TIME.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  if (Number.isNaN(Date.parse(text))) return false;
  // Date.parse converts 30 February to 2 March.
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return midnight.getUTCDate() === Number(day);
}
