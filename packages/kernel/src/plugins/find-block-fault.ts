import { isJsonObject } from '@portolan/plugin-api';
import type { ConfigBlock } from '@portolan/plugin-api';
import { describeValue, oneOf } from '../faults/describe-value.ts';

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);
const isFlag: Test = (value) => typeof value === 'boolean';
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Test = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isAnything: Test = () => true;

type Holder = 'properties' | 'items' | 'additionalProperties';

const KEYWORDS: Readonly<Record<Exclude<keyof ConfigBlock, Holder>, Test>> = {
  type: isText,
  title: isText,
  description: isText,
  required: isTexts,
  minItems: isCount,
  uniqueItems: isFlag,
  enum: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isText(one) || isNumber(one)),
  default: isAnything,
  minimum: isNumber,
  maximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  pattern: isPattern,
  format: (value) => ['uri', 'duration', 'date-time', 'path'].includes(String(value)),
  oneOfKeys: (value) => Array.isArray(value) && value.length > 0 && value.every(isTexts),
  anyOfKeys: isTexts,
  secret: isFlag,
  examples: Array.isArray,
};

const TESTS: ReadonlyMap<string, Test> = new Map(Object.entries(KEYWORDS));

const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

/**
 * Returns what is wrong with the schema of a config block, with its place, as the beginning of a sentence. An
 * unknown keyword is a fault, because the restriction that it means would be ignored.
 */
export function findBlockFault(block: unknown, place: string): string | undefined {
  if (!isJsonObject(block)) return `"${place}" is ${describeValue(block)}, not a config block`;
  const { type, properties, items, additionalProperties, ...rest } = block;
  if (!TYPES.includes(String(type))) return `"${place}.type" is ${describeValue(type)}, not ${oneOf(TYPES)}`;
  for (const [keyword, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    const test = TESTS.get(keyword);
    if (test === undefined) return `"${place}.${keyword}" is no keyword of a config block`;
    if (!test(value)) return `"${place}.${keyword}" is ${describeValue(value)}, which it cannot be`;
  }
  if (properties !== undefined && !isJsonObject(properties))
    return `"${place}.properties" is no map of config blocks`;
  const inner = [
    ...Object.entries(properties ?? {}).map(([key, value]) => [value, `${place}.properties.${key}`] as const),
    ...(items === undefined ? [] : [[items, `${place}.items`] as const]),
    ...(additionalProperties === undefined
      ? []
      : [[additionalProperties, `${place}.additionalProperties`] as const]),
  ];
  for (const [value, at] of inner) {
    const fault = findBlockFault(value, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
