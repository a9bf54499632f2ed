import { SecretValues, type BootOptions } from '@portolan/kernel';
import type { Store } from '@portolan/registry';
import { openDatabase } from './open-database.ts';
import { checkConfig } from '@portolan/kernel/check-config';
import { createLogger } from '@portolan/kernel/logger';

/** Opens the configured database without changing its schema, runs `work`, and closes it. */
export async function withDatabase<T>(options: BootOptions, work: (store: Store) => Promise<T>): Promise<T> {
  const { config, directory } = await checkConfig(options);
  const { environment, debug } = options;
  const logger = await createLogger({ environment, debug, secrets: new SecretValues() });
  const store = await openDatabase(config.database, { environment, directory, logger });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
