import type { EntryQuestion, GatedRegistry } from '@portolan/authorization';
import type { BootOptions, Kernel } from '@portolan/kernel';
import { databaseFile, createRegistryReader, type Store, splitSkips } from '@portolan/registry';
import { existsSync } from 'node:fs';
import { openDatabase } from '@portolan/registry-server';
import type { EntryAddress } from '@portolan/registry-client';

export interface ExplainedSources {
  readonly registry: (GatedRegistry & { readonly name: string }) | undefined;
  /** Names of all registries in the database. */
  readonly names: readonly string[];
  readonly sources: EntryQuestion['sources'];
  /** Versions of the entry that sources of the registry skipped. */
  readonly skipped: NonNullable<EntryQuestion['skipped']>;
  /** Sentences about differences between the database and the configuration. */
  readonly notes: readonly string[];
}

/**
 * Looks up a registry and an entry in the database of the configuration, without creating or changing it. A
 * missing database, or one with an older layout, counts as empty. Throws ERR_DATABASE_* for an unreadable
 * one.
 */
export async function findSources(
  { config, directory, logger }: Kernel,
  { environment }: BootOptions,
  name: string,
  entry: EntryAddress | undefined,
): Promise<ExplainedSources> {
  const file = databaseFile(config.database, { environment, directory });
  if (file !== undefined && !existsSync(file)) return NOT_FILLED;
  const store = await openDatabase(config.database, { environment, directory, logger });
  try {
    const isCurrent = (await store.migrations.status()).every(({ appliedAt }) => appliedAt !== undefined);
    if (!isCurrent) return NOT_FILLED;
    return await readSources(store, config.registries, name, entry);
  } finally {
    await store.close();
  }
}

const NOT_FILLED: ExplainedSources = {
  registry: undefined,
  names: [],
  sources: [],
  skipped: [],
  notes: ['The database does not exist yet, or has an older layout: no entries are known.'],
};

async function readSources(
  store: Store,
  registries: Kernel['config']['registries'],
  name: string,
  entry: EntryAddress | undefined,
): Promise<ExplainedSources> {
  const reader = createRegistryReader(store);
  const { registries: stored } = await reader.catalog();
  const names = [...stored.keys()];
  const registry = stored.get(name);
  const configured = registries.find((one) => one.name === name);
  const notes = differences(configured?.sources, registry?.sources);
  if (registry === undefined || entry === undefined)
    return { registry, names, sources: [], skipped: [], notes };
  const sources = await reader.sourcesOf(registry, entry.type, entry.name);
  const order = configured?.sources ?? registry.sources;
  const skips = (await reader.skippedOf(entry.type, entry.name)).filter(({ source }) =>
    order.includes(source),
  );
  const { skipped, filters } = splitSkips(skips);
  const all = sources.length === 0 ? [...notes, ...filters] : notes;
  return { registry, names, sources: inOrder(sources, order), skipped, notes: all };
}

function differences(
  configured: readonly string[] | undefined,
  stored: readonly string[] | undefined,
): readonly string[] {
  if (configured === undefined) return [];
  if (stored === undefined)
    return ['The database does not have this registry yet: no server has started with this configuration.'];
  if (configured.join(' ') === stored.join(' ')) return [];
  return [
    'The database has other sources for this registry: no server has started with this configuration yet.',
  ];
}

function inOrder(sources: EntryQuestion['sources'], order: readonly string[]): EntryQuestion['sources'] {
  return order.flatMap((name) => sources.filter(({ source }) => source === name));
}
