import type { ConfigBlock } from '@portolan/plugin-api';

/**
 * Which of the ways that exclude each other a value takes: the keys of its group
 * in `oneOfKeys`, joined by `+`. Empty for a block without such groups, and for a
 * value that has none of them or several.
 */
export function variantOf(block: ConfigBlock, value: object): string {
  const given = (block.oneOfKeys ?? []).filter((group) => group.every((key) => Object.hasOwn(value, key)));
  return given.length === 1 ? (given[0] ?? []).join('+') : '';
}
