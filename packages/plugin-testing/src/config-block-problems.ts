import type { ConfigBlock } from '@portolan/plugin-api';

const KEYWORDS: Readonly<Record<keyof ConfigBlock, true>> = {
  type: true,
  title: true,
  description: true,
  properties: true,
  required: true,
  additionalProperties: true,
  items: true,
  minItems: true,
  uniqueItems: true,
  enum: true,
  default: true,
  minimum: true,
  maximum: true,
  minLength: true,
  maxLength: true,
  pattern: true,
  format: true,
  oneOfKeys: true,
  anyOfKeys: true,
  secret: true,
  examples: true,
};

/**
 * Returns the problems of a config block itself, each as `place: sentence`: unknown keywords, missing
 * descriptions, unknown names, and defaults, choices and examples that the block rejects.
 */
export function findConfigBlockProblems(block: ConfigBlock): readonly string[] {
  return problemsAt(block, '');
}

function problemsAt(block: ConfigBlock, place: string): string[] {
  const own = [
    ...unknownKeywords(block),
    ...missingDescription(block, place),
    ...unknownNames(block),
    ...brokenPattern(block),
    ...unfittingValues(block),
  ];
  return [
    ...own.map((problem) => `${place === '' ? 'block' : place}: ${problem}`),
    ...problemsBelow(block, place),
  ];
}

function problemsBelow(block: ConfigBlock, place: string): string[] {
  const below = (child: ConfigBlock, name: string): string[] =>
    problemsAt(child, place === '' ? name : `${place}.${name}`);
  return [
    ...Object.entries(block.properties ?? {}).flatMap(([name, child]) => below(child, name)),
    ...(block.items === undefined ? [] : below(block.items, '[]')),
    ...(block.additionalProperties === undefined ? [] : below(block.additionalProperties, '*')),
  ];
}

function unknownKeywords(block: ConfigBlock): string[] {
  return Object.keys(block)
    .filter((keyword) => !Object.hasOwn(KEYWORDS, keyword))
    .map((keyword) => `"${keyword}" is no keyword of a config block`);
}

/**
 * Reports a missing description. List elements and map values need none, because the field of their list or
 * map describes them.
 */
function missingDescription(block: ConfigBlock, place: string): string[] {
  const isElement = place.endsWith('[]') || place.endsWith('*');
  const isDescribed = block.description !== undefined && block.description.trim() !== '';
  return isElement || isDescribed ? [] : ['has no description'];
}

function unknownNames(block: ConfigBlock): string[] {
  const known = block.properties ?? {};
  const missing = (name: string): boolean => !Object.hasOwn(known, name);
  const required = (block.required ?? [])
    .filter(missing)
    .map((name) => `requires "${name}", which it does not have`);
  const groups = (block.oneOfKeys ?? [])
    .flat()
    .filter(missing)
    .map((name) => `has "${name}" in oneOfKeys, but no such field`);
  const any = (block.anyOfKeys ?? [])
    .filter(missing)
    .map((name) => `has "${name}" in anyOfKeys, but no such field`);
  const both = (block.required ?? [])
    .filter((name) => known[name]?.default !== undefined)
    .map((name) => `requires "${name}", which has a default`);
  return [...required, ...groups, ...any, ...both];
}

function brokenPattern(block: ConfigBlock): string[] {
  if (block.pattern === undefined) return [];
  try {
    RegExp(block.pattern, 'u');
    return [];
  } catch (error) {
    return [`has a pattern that does not compile: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function unfittingValues(block: ConfigBlock): string[] {
  const fault = (name: string, value: unknown): string[] => {
    const reason = unfitReason(value, block);
    return reason === undefined ? [] : [`has ${name} ${JSON.stringify(value)}, which ${reason}`];
  };
  return [
    ...(block.default === undefined ? [] : fault('the default', block.default)),
    ...(block.enum ?? []).flatMap((choice) => fault('the choice', choice)),
    ...(block.examples ?? []).flatMap((example) => fault('the example', example)),
  ];
}

function unfitReason(value: unknown, block: ConfigBlock): string | undefined {
  if (!hasType(value, block.type)) return `is not of type ${block.type}`;
  if (block.enum !== undefined && !block.enum.some((choice) => choice === value))
    return 'is none of the choices';
  if (typeof value === 'number') return unfitNumber(value, block);
  if (typeof value === 'string') return unfitString(value, block);
  return undefined;
}

function unfitNumber(value: number, block: ConfigBlock): string | undefined {
  if (block.minimum !== undefined && value < block.minimum) return `is below ${block.minimum}`;
  if (block.maximum !== undefined && value > block.maximum) return `is above ${block.maximum}`;
  return undefined;
}

function unfitString(value: string, block: ConfigBlock): string | undefined {
  if (block.minLength !== undefined && value.length < block.minLength)
    return `is shorter than ${block.minLength}`;
  if (block.maxLength !== undefined && value.length > block.maxLength)
    return `is longer than ${block.maxLength}`;
  if (block.pattern === undefined || brokenPattern(block).length > 0) return undefined;
  return RegExp(block.pattern, 'u').test(value) ? undefined : `does not match ${block.pattern}`;
}

function hasType(value: unknown, type: ConfigBlock['type']): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return type satisfies never;
  }
}
