import { isJsonObject } from '@portolan/run-spec';

type Schema = Readonly<Record<string, unknown>>;

const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const;
const CONDITIONAL = ['then', 'else'] as const;

/** Returns the paths of all fields of a JSON Schema without inner properties; `*` is any index or name. */
export function schemaPaths(schema: Schema): readonly string[] {
  return [...new Set(pathsOf(schema, schema, ''))];
}

function pathsOf(schema: unknown, root: Schema, at: string): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { $ref: reference, properties, items, additionalProperties: named } = schema;
  if (typeof reference === 'string') return pathsOf(definitionOf(reference, root), root, at);
  const parts = [
    ...COMBINED.flatMap((key) => {
      const list = schema[key];
      return Array.isArray(list) ? list.flatMap((one) => pathsOf(one, root, at)) : [];
    }),
    ...CONDITIONAL.flatMap((key) => pathsOf(schema[key], root, at)),
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, member]) =>
      fieldOf(member, root, at === '' ? key : `${at}.${key}`),
    ),
  ];
  return [...parts, ...[items, named].filter(isJsonObject).flatMap((one) => fieldOf(one, root, `${at}.*`))];
}

function fieldOf(schema: unknown, root: Schema, at: string): readonly string[] {
  const inner = pathsOf(schema, root, at);
  return inner.length > 0 ? inner : [at];
}

function definitionOf(reference: string, root: Schema): unknown {
  const name = reference.replace('#/$defs/', '');
  const { $defs: definitions } = root;
  return isJsonObject(definitions) ? definitions[name] : undefined;
}
