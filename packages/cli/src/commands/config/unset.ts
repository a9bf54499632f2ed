import { settingKey } from '../../command-line/flags/setting-arguments.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getKnownSetting, updateUserConfig } from '@portolan/workload/settings';

export default class ConfigUnset extends WorkloadCommand {
  static override summary = 'Remove a setting of this user';
  static override args = settingKey;

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigUnset);
    return await this.withWorkloads(flags, async ({ directories }, signal) => {
      await updateUserConfig(directories, [{ path: getKnownSetting(args.key).path }], signal);
    });
  }
}
