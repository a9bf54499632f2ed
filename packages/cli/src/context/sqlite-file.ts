import { findDatabaseFile } from '@portolan/registry-server';
import { PortolanError } from '@portolan/plugin-api';
import { bootOptions } from './boot-options.ts';

/**
 * Returns the SQLite file of the configured database. Throws ERR_BAD_ARGUMENT for another database, with `hint` about
 * what to do instead.
 */
export async function sqliteFile(
  { config }: { readonly config: string | undefined },
  hint: string,
): Promise<string> {
  const file = await findDatabaseFile(await bootOptions({ config, debug: false }));
  if (file !== undefined) return file;
  throw new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    'found a database that is not a SQLite file; expected `database.url: sqlite:FILE`',
    { hint },
  );
}
