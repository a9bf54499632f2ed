import { withDatabase } from '@portolan/registry-server';
import { BaseCommand } from '../../command-line/base-command.ts';
import { bootOptions } from '../../context/boot-options.ts';
import { configFlag } from '../../command-line/flags/config-flag.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { formatTable } from '../../terminal/format/format-table.ts';

export default class MigrateStatus extends BaseCommand {
  static override summary = 'List the migrations of the database';
  static override flags = { config: configFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(MigrateStatus, this.argumentsOf(MigrateStatus));
    const boot = await bootOptions({ config: flags.config, debug: flags.debug });
    const states = await withDatabase(boot, (store) => store.migrations.status());
    const migrations = states.map(({ name, appliedAt }) => ({
      name,
      appliedAt: appliedAt?.toISOString() ?? null,
    }));
    const rows = migrations.map(({ name, appliedAt }) => [name, appliedAt ?? 'pending']);
    this.print(flags.format, migrations, formatTable(['migration', 'applied'], rows));
  }
}
