import type { DatabaseConfig } from '@portolan/kernel';
import { parseDuration } from '@portolan/plugin-api';
import { openStore, type Store, type StoreOptions } from '@portolan/registry';

/** Opens the configured database without changing its schema. Throws ERR_DATABASE_*. */
export async function openDatabase(
  config: DatabaseConfig,
  surroundings: Omit<StoreOptions, 'connMaxLifetimeMs'>,
): Promise<Store> {
  return await openStore(config, {
    ...surroundings,
    connMaxLifetimeMs: parseDuration(config.connMaxLifetime),
  });
}
