import type { DatabaseConfig } from '@portolan/kernel';
import { parseDuration } from '@portolan/plugin-api';
import { openStore, type Store, type StoreOptions } from '@portolan/registry';

/** Opens the configured database without changing its schema. Throws ERR_DATABASE_*. */
export async function openDatabase(
  config: DatabaseConfig,
  context: Omit<StoreOptions, 'connMaxLifetimeMs'>,
): Promise<Store> {
  return await openStore(config, {
    ...context,
    connMaxLifetimeMs: parseDuration(config.connMaxLifetime),
  });
}
