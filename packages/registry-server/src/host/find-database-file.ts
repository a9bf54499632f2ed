import type { BootOptions } from '@portolan/kernel';
import { checkConfig } from '@portolan/kernel/check-config';
import { databaseFile } from '@portolan/registry';

/** Returns the SQLite file of the configured database; undefined for PostgreSQL and a database in memory. */
export async function findDatabaseFile(options: BootOptions): Promise<string | undefined> {
  const { config, directory } = await checkConfig(options);
  return databaseFile(config.database, { environment: options.environment, directory });
}
