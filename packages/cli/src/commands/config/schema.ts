import { BaseCommand } from '../../command-line/base-command.ts';
import { bootOptions } from '../../context/boot-options.ts';
import { configFlag } from '../../command-line/flags/config-flag.ts';
import { readConfigSchema } from '@portolan/kernel/check-config';

export default class ConfigSchema extends BaseCommand {
  static override summary = 'Print the JSON Schema of the configuration, for editors';
  static override description =
    'Holds the kinds that Portolan ships and those of the plugins that the configuration names; without a ' +
    'configuration, those that are shipped.';
  static override flags = { config: configFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ConfigSchema, this.argumentsOf(ConfigSchema));
    const schema = await readConfigSchema(await bootOptions({ config: flags.config, debug: flags.debug }));
    this.print('json', schema, '');
  }
}
