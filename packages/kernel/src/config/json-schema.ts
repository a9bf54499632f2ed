import type { ConfigBlock } from '@portolan/plugin-api';

export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Returns the schema that validates a block. It uses Portolan's own keywords (`secret`, `oneOfKeys`,
 * `anyOfKeys`, the formats `duration` and `path`); see `SchemaChecker`.
 */
export function toCheckSchema(block: ConfigBlock): JsonSchema {
  return translate(block, (schema) => schema);
}

/**
 * Returns plain JSON Schema for editors. Durations become a `pattern`, `secret` becomes `writeOnly`,
 * `oneOfKeys` becomes `oneOf`, and `anyOfKeys` becomes `anyOf`.
 */
export function toEditorSchema(block: ConfigBlock): JsonSchema {
  return translate(block, ({ secret, oneOfKeys, anyOfKeys, format, ...rest }) => ({
    ...rest,
    ...editorFormat(format),
    ...(secret === true ? { writeOnly: true } : {}),
    // Blocks are validated when their plugin is loaded, so the elements of `plugins` may be pairs of name and
    // options here.
    ...(oneOfKeys === undefined
      ? {}
      : { oneOf: (oneOfKeys as readonly unknown[]).map((required) => ({ required })) }),
    ...(anyOfKeys === undefined
      ? {}
      : { anyOf: (anyOfKeys as readonly unknown[]).map((key) => ({ required: [key] })) }),
  }));
}

function editorFormat(format: unknown): JsonSchema {
  if (format === 'duration') {
    return { pattern: '^(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$' };
  }
  return format === undefined || format === 'path' ? {} : { format };
}

type Rewrite = (schema: JsonSchema) => JsonSchema;

function translate(block: ConfigBlock, rewrite: Rewrite, secretAround = false): JsonSchema {
  const { properties, items, additionalProperties, ...plain } = block;
  const secret = secretAround || block.secret === true;
  const inside: Record<string, unknown> = { ...plain, ...(secret ? { secret } : {}) };
  if (items !== undefined) inside['items'] = translate(items, rewrite, secret);
  if (block.type === 'object') {
    inside['properties'] = Object.fromEntries(
      Object.entries(properties ?? {}).map(([key, value]) => [key, translate(value, rewrite, secret)]),
    );
    inside['additionalProperties'] =
      additionalProperties === undefined ? false : translate(additionalProperties, rewrite, secret);
  }
  return rewrite(inside);
}
