import path from 'node:path';
import { Args, Flags } from '@oclif/core';
import { restoreDatabase } from '@portolan/registry';
import { BaseCommand } from '../command-line/base-command.ts';
import { configFlag } from '../command-line/flags/config-flag.ts';
import { sqliteFile } from '../context/sqlite-file.ts';
import { confirm } from '../terminal/ask/confirm.ts';
import { badArgument } from '../terminal/terminal-errors.ts';

export default class Restore extends BaseCommand {
  static override summary = 'Replace the SQLite database of the registry server with a backup';
  static override description =
    'Refuses while a server has the database open, and when the backup is damaged. The former database stays next to it ' +
    'as FILE.before-restore, and later ones as FILE.before-restore-2 and so on. PostgreSQL has a program of its own: pg_restore.';
  static override examples = ['<%= config.bin %> restore registry.backup --config portolan.config.yaml'];
  static override args = {
    file: Args.string({ description: 'file that `backup` wrote', required: true, ignoreStdin: true }),
  };
  static override flags = {
    config: configFlag,
    yes: Flags.boolean({ char: 'y', description: 'skip the confirmation' }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(Restore, this.argumentsOf(Restore));
    const database = await sqliteFile(flags.config, 'pg_restore');
    const file = path.resolve(args.file);
    if (!flags.yes) {
      const terminal = { input: process.stdin, output: process.stderr };
      await confirm(`Replace ${database} with ${file}? Type yes: `, ['yes'], terminal);
    }
    try {
      const { former, log } = await restoreDatabase(file, database);
      const formerNote = former === undefined ? '' : `; the former database is ${former}`;
      const logNote = log === undefined ? '' : `; the write-ahead log of a moved database is ${log}`;
      this.log(`${database} is restored from ${file}${formerNote}${logNote}`);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT')
        throw badArgument(`found no file ${file}; expected one that \`portolan backup\` wrote`);
      throw error;
    }
  }
}
