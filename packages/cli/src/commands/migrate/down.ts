import { withDatabase } from '@portolan/registry-server';
import { BaseCommand } from '../../command-line/base-command.ts';
import { bootOptions } from '../../context/boot-options.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { downFlags } from '../../command-line/flags/migrate-flags.ts';

export default class MigrateDown extends BaseCommand {
  static override summary = 'Undo migrations of the database, last one first';
  static override description = 'Data of the undone layout is lost.';
  static override flags = downFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(MigrateDown, this.argumentsOf(MigrateDown));
    const boot = await bootOptions({ config: flags.config, debug: flags.debug });
    await withDatabase(boot, async ({ migrations, where }) => {
      const applied = (await migrations.status()).filter(({ appliedAt }) => appliedAt !== undefined);
      const names = applied.toReversed().slice(0, flags['num-steps']);
      if (names.length === 0) return this.log(`${where} has no migrations to undo`);
      if (!flags.yes) {
        const question = `Undo ${names.map(({ name }) => name).join(', ')} of ${where}, and lose their data?`;
        const terminal = { input: process.stdin, output: process.stderr };
        await confirm(`${question} Type yes: `, ['yes'], terminal);
      }
      for (const name of await migrations.down(names.length)) this.log(`undone ${name}`);
    });
  }
}
