import { BaseCommand } from '../../command-line/base-command.ts';
import { bootOptions } from '../../context/boot-options.ts';
import { configFlag } from '../../command-line/flags/config-flag.ts';
import { readConfigSchema } from '@portolan/kernel/check-config';

export default class ConfigSchema extends BaseCommand {
  static override summary = 'Print the JSON Schema of the configuration, for editors';
  static override description =
    'Contains the kinds that Portolan ships and those of the plugins of the configuration. Without a ' +
    'configuration, it contains only the shipped kinds.';
  static override flags = { config: configFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ConfigSchema, this.argumentsOf(ConfigSchema));
    const schema = await readConfigSchema(await bootOptions({ config: flags.config, debug: flags.debug }));
    this.print('json', schema, '');
  }
}
