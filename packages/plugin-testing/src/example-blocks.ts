import type { ConfigBlock } from '@portolan/plugin-api';

/**
 * Returns values that an object block accepts: for each group of `oneOfKeys`, a minimal one and one with
 * every key. Empty when a required key has no value.
 */
export function exampleBlocks(block: ConfigBlock): readonly Readonly<Record<string, unknown>>[] {
  const groups = block.oneOfKeys ?? [[]];
  const exclusive = new Set(groups.flat());
  const optional = Object.keys(block.properties ?? {}).filter((key) => !exclusive.has(key));
  return groups
    .flatMap((group) => [exampleMap(block, group), exampleMap(block, group, optional)])
    .filter((example) => example !== undefined);
}

function exampleMap(
  block: ConfigBlock,
  group: readonly string[],
  optional: readonly string[] = [],
): Readonly<Record<string, unknown>> | undefined {
  const properties = block.properties ?? {};
  const needed = [...(block.required ?? []), ...(block.anyOfKeys ?? []).slice(0, 1), ...group];
  const example: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(properties)) {
    const isWanted = needed.includes(key) || inner.default !== undefined || optional.includes(key);
    const value = isWanted ? exampleOf(inner) : undefined;
    if (value !== undefined) example[key] = value;
    else if (needed.includes(key)) return undefined;
  }
  return example;
}

function exampleOf(block: ConfigBlock): unknown {
  const input = block.default ?? block.examples?.[0] ?? block.enum?.[0];
  if (input !== undefined) return structuredClone(input);
  switch (block.type) {
    case 'object':
      return exampleBlocks(block)[0];
    case 'array': {
      const item = block.items === undefined ? undefined : exampleOf(block.items);
      return item === undefined ? undefined : [item];
    }
    case 'boolean':
      return true;
    case 'string':
    case 'integer':
    case 'number':
      return undefined;
    default:
      return block.type satisfies never;
  }
}
