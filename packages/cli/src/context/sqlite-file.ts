import { findDatabaseFile } from '@portolan/registry-server';
import { badArgument } from '../terminal/terminal-errors.ts';
import { bootOptions } from './boot-options.ts';

/** Returns the SQLite file of the configured database. Throws ERR_BAD_ARGUMENT for PostgreSQL, which `program` serves. */
export async function sqliteFile(config: string | undefined, program: string): Promise<string> {
  const file = await findDatabaseFile(await bootOptions({ config, debug: false }));
  if (file !== undefined) return file;
  throw badArgument(
    `found a database that is not a SQLite file; expected \`database.url: sqlite:FILE\`. For PostgreSQL, use ${program}.`,
  );
}
