import path from 'node:path';
import { Args } from '@oclif/core';
import { backUpDatabase } from '@portolan/registry';
import { BaseCommand } from '../command-line/base-command.ts';
import { configFlag } from '../command-line/flags/config-flag.ts';
import { sqliteFile } from '../context/sqlite-file.ts';
import { badArgument } from '../terminal/terminal-errors.ts';

export default class Backup extends BaseCommand {
  static override summary = 'Back up the SQLite database of the registry server to a file';
  static override description =
    'Servers may run meanwhile. The file has mode 0600, because it contains everything that was published and who may ' +
    'see it. PostgreSQL has a backup program of its own: pg_dump.';
  static override examples = ['<%= config.bin %> backup registry.backup --config portolan.config.yaml'];
  static override args = {
    file: Args.string({ description: 'file to write; it may not exist', required: true, ignoreStdin: true }),
  };
  static override flags = { config: configFlag };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(Backup, this.argumentsOf(Backup));
    const database = await sqliteFile(flags.config, 'pg_dump');
    const file = path.resolve(args.file);
    try {
      await backUpDatabase(database, file);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EEXIST') throw badArgument(`${file} exists; expected a new file`);
      if (code === 'ENOENT') throw badArgument(`found no database ${database}, or no folder for ${file}`);
      throw error;
    }
    this.log(`${database} is backed up to ${file}`);
  }
}
