import type { ConfigBlock } from '@portolan/plugin-api';

/**
 * Returns which alternative of each `oneOfKeys` group of a block the value uses, as key names joined by `+`.
 * Empty when the block has no alternatives, or the value has none or several of them.
 */
export function variantOf(block: ConfigBlock, value: object): string {
  const inputs = (block.oneOfKeys ?? []).filter((group) => group.every((key) => Object.hasOwn(value, key)));
  return inputs.length === 1 ? (inputs[0] ?? []).join('+') : '';
}
