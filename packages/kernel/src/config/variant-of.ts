import type { ConfigBlock } from '@portolan/plugin-api';

/**
 * Returns the keys of the value's alternative in `oneOfKeys`, joined by `+`. Empty without alternatives, and
 * for a value with none or several.
 */
export function variantOf(block: ConfigBlock, value: object): string {
  const given = (block.oneOfKeys ?? []).filter((group) => group.every((key) => Object.hasOwn(value, key)));
  return given.length === 1 ? (given[0] ?? []).join('+') : '';
}
