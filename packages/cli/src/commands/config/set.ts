import { Args } from '@oclif/core';
import { settingKey } from '../../command-line/flags/setting-arguments.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { getKnownSetting, parseSettingValue, updateUserConfig } from '@portolan/workload/settings';

export default class ConfigSet extends WorkloadCommand {
  static override summary = 'Set a setting of this user, which every run reads';
  static override description =
    'A setting that is a list takes several values, which replace the whole list.';
  static override examples = [
    '<%= config.bin %> config set gateway.image registry.acme.example/tools/node:24',
    '<%= config.bin %> config set build.allow_host packages.acme.example git.acme.example',
    '<%= config.bin %> config set runtime_configs.npx.builder_image node:24-alpine',
  ];
  static override args = {
    ...settingKey,
    values: Args.string({ description: 'the value', required: true, multiple: true, ignoreStdin: true }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigSet);
    return await this.withWorkloads(flags, async ({ directories }, signal) => {
      const { setting, path } = getKnownSetting(args.key);
      const value = parseSettingValue(setting, args.values);
      await updateUserConfig(directories, [{ path, value }], signal);
    });
  }
}
