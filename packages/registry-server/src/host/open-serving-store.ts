import type { BootOptions, Kernel } from '@portolan/kernel';
import { parseDuration, type Tracer } from '@portolan/plugin-api';
import { reconcileConfig, type Store, type StoredDefinition } from '@portolan/registry';
import { describeSources } from './describe-sources.ts';
import { openDatabase } from './open-database.ts';

/**
 * Minimum timeout of database reads, in milliseconds. A sync of a large source reads for seconds, even if
 * requests have a shorter timeout.
 */
const LEAST_LOOK_UP_MS = 30_000;

/** Cancels reads that exceed the timeout of requests, because no request waits for them any more. */
export async function openStoreOf(
  { config, directory, logger }: Kernel,
  { environment }: BootOptions,
  tracer: Tracer | undefined,
): Promise<Store> {
  const lookUpMs = Math.max(parseDuration(config.server.requestTimeout), LEAST_LOOK_UP_MS);
  return await openDatabase(config.database, { directory, environment, logger, tracer, lookUpMs });
}

/** Applies pending migrations. Throws ERR_SCHEMA_OUTDATED instead when the operator migrates manually. */
export async function migrate(store: Store, { config, logger }: Kernel): Promise<void> {
  if (!config.database.migrateOnStart) return await store.migrations.requireCurrent();
  const applied = await store.migrations.up();
  if (applied.length > 0) logger.info({ database: store.where, applied }, 'database migrated');
}

/** Stores the sources and registries of the configuration. Returns the stored sources by name. */
export async function reconcile(
  store: Store,
  kernel: Kernel,
): Promise<ReadonlyMap<string, StoredDefinition>> {
  const { registries } = kernel.config;
  return await reconcileConfig(store, { sources: describeSources(kernel), registries }, kernel.clock());
}
