import type { Kernel, NextRegistries } from '@portolan/kernel';
import type { ConfiguredSource, StoredDefinition, SyncedSource } from '@portolan/registry';
import type { ConfigBlock } from '@portolan/plugin-api';

/** Interval for kinds that need none because they report changes themselves, in milliseconds. */
const UNASKED_INTERVAL_MS = 30 * 60_000;

export function describeSources({ config, sources }: NextRegistries): readonly ConfiguredSource[] {
  return config.sources.map((source) => {
    const { kind } = getSource(sources, source.name);
    return {
      ...source,
      claimsFrom: kind.claimsFrom,
      // A block is a map, and so is its public part.
      publicBlock: publicBlock(source.block, kind.config) as ConfiguredSource['publicBlock'],
    };
  });
}

/** Returns the sources that are synced. Managed sources are not. */
export function syncedSources(
  { config, sources }: NextRegistries,
  stored: ReadonlyMap<string, StoredDefinition>,
): readonly SyncedSource[] {
  return config.sources.flatMap(({ name, filter, allowShrink, intervalMs = UNASKED_INTERVAL_MS }) => {
    const { kind, instance } = getSource(sources, name);
    const { claimsFrom } = kind;
    const storedDefinition = stored.get(name);
    if (claimsFrom === 'publisher' || storedDefinition === undefined) return [];
    const { id, reading } = storedDefinition;
    return [{ id, name, reading, instance, claimsFrom, filter, intervalMs, allowShrink }];
  });
}

function getSource(
  sources: Kernel['sources'],
  name: string,
): NonNullable<ReturnType<Kernel['sources']['get']>> {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`the kernel created no instance of source "${name}"`);
  return source;
}

/** Returns a block without its secret fields, so that the rest may be stored and shown. */
export function publicBlock(value: unknown, block: ConfigBlock): unknown {
  if (Array.isArray(value)) {
    const { items } = block;
    return items === undefined ? value : value.flatMap((item: unknown) => shown(item, items));
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties = {}, additionalProperties } = block;
  const entries = Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    // Keys without a schema are data, such as a catalogue in the configuration.
    if (schema === undefined) return [[key, inner] as const];
    return shown(inner, schema).map((text) => [key, text] as const);
  });
  return Object.fromEntries(entries);
}

function shown(value: unknown, block: ConfigBlock): readonly unknown[] {
  return block.secret === true ? [] : [publicBlock(value, block)];
}
