import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { settingKey } from '../../command-line/flags/setting-arguments.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getSetting } from '@portolan/workload/settings';

export default class ConfigGet extends WorkloadCommand {
  static override summary = 'Print a setting of this user; a list has one value per line';
  static override args = settingKey;
  static override flags = { format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigGet);
    return await this.withWorkloads(flags, async ({ directories }) => {
      const value = await getSetting(args.key, directories);
      this.print(flags.format, value, [value].flat().join('\n'));
    });
  }
}
