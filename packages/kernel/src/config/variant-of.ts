import type { ConfigBlock } from '@portolan/plugin-api';

/**
 * Returns which of its mutually exclusive alternatives a value uses: the keys of its group in `oneOfKeys`,
 * joined by `+`. Empty for a block without alternatives, and for a value with none or several.
 */
export function variantOf(block: ConfigBlock, value: object): string {
  const given = (block.oneOfKeys ?? []).filter((group) => group.every((key) => Object.hasOwn(value, key)));
  return given.length === 1 ? (given[0] ?? []).join('+') : '';
}
