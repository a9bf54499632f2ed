import type { ConfigBlock } from '@portolan/plugin-api';

/** Returns a configuration value without its secret fields, which may be stored and shown. */
export function publicBlock(value: unknown, block: ConfigBlock): unknown {
  if (Array.isArray(value)) {
    const { items } = block;
    return items === undefined ? value : value.flatMap((item: unknown) => shown(item, items));
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties = {}, additionalProperties } = block;
  const entries = Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    // Keys without a schema are data rather than settings, such as a catalogue in the configuration.
    if (schema === undefined) return [[key, inner] as const];
    return shown(inner, schema).map((kept) => [key, kept] as const);
  });
  return Object.fromEntries(entries);
}

function shown(value: unknown, block: ConfigBlock): readonly unknown[] {
  return block.secret === true ? [] : [publicBlock(value, block)];
}
