import { withDatabase } from '@portolan/registry-server';
import { BaseCommand } from '../../command-line/base-command.ts';
import { bootOptions } from '../../context/boot-options.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { upFlags } from '../../command-line/flags/migrate-flags.ts';

export default class MigrateUp extends BaseCommand {
  static override summary = 'Apply pending migrations to the database';
  static override flags = upFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(MigrateUp, this.argumentsOf(MigrateUp));
    const boot = await bootOptions({ config: flags.config, debug: flags.debug });
    await withDatabase(boot, async ({ migrations, where }) => {
      const pending = (await migrations.status()).filter(({ appliedAt }) => appliedAt === undefined);
      const steps = flags['num-steps'] === 0 ? pending.length : flags['num-steps'];
      const names = pending.slice(0, steps).map(({ name }) => name);
      if (names.length === 0) return this.log(`${where} is up to date`);
      if (!flags.yes) {
        const terminal = { input: process.stdin, output: process.stderr };
        await confirm(`Apply ${names.join(', ')} to ${where}? [y/N] `, ['y', 'yes'], terminal);
      }
      for (const name of await migrations.up(names.length)) this.log(`applied ${name}`);
    });
  }
}
