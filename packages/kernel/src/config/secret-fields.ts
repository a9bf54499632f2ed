import type { ConfigBlock } from '@portolan/plugin-api';
import type { ConfigPath } from '../faults/config-path.ts';
import { isPlainMap } from './plain-data.ts';

export interface SecretField {
  readonly place: ConfigPath;
  readonly value: unknown;
  readonly replace: (value: unknown) => void;
}

/** Returns every scalar below a block that is marked as secret. */
export function secretFields(
  value: unknown,
  block: ConfigBlock,
  place: ConfigPath,
  replace: (value: unknown) => void = () => {},
  secret = false,
): readonly SecretField[] {
  const hidden = secret || block.secret === true;
  if (Array.isArray(value)) {
    const { items } = block;
    if (items === undefined) return [];
    return value.flatMap((item, index) =>
      secretFields(item, items, [...place, index], (other) => (value[index] = other), hidden),
    );
  }
  if (!isPlainMap(value)) {
    return hidden && value !== undefined && value !== null ? [{ place, value, replace }] : [];
  }
  return Object.entries(value).flatMap(([key, inner]) => {
    const properties = block.properties ?? {};
    const innerBlock = Object.hasOwn(properties, key) ? properties[key] : block.additionalProperties;
    if (innerBlock === undefined) return [];
    return secretFields(inner, innerBlock, [...place, key], (other) => (value[key] = other), hidden);
  });
}
