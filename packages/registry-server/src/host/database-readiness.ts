import type { Logger } from '@portolan/plugin-api';
import type { RegistryReader, Store } from '@portolan/registry';
import type { Readiness } from '../actions/operation.ts';

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ERR_DATABASE_REPLACED: 'The database file was removed or replaced during use.',
  ERR_DATABASE_CORRUPT: 'The database file is damaged.',
};

/** Returns why the database is not ready, as public texts. Logs the details. */
export async function databaseReadiness(
  reader: Pick<RegistryReader, 'catalog'>,
  store: Pick<Store, 'findFileFault' | 'findWriteFault'>,
  logger: Logger,
): Promise<Readiness> {
  const fault = store.findFileFault();
  if (fault !== undefined) {
    logger.error({ error: fault }, 'not ready');
    return { problems: [FILE_FAULTS[fault.code] ?? 'The database file cannot be used.'], warnings: [] };
  }
  try {
    await reader.catalog();
  } catch (error) {
    logger.warn({ err: error }, 'not ready');
    return { problems: ['The database does not respond.'], warnings: [] };
  }
  const unwritable = await store.findWriteFault();
  return { problems: [], warnings: unwritable === undefined ? [] : [unwritable.publicMessage ?? ''] };
}
