import { BaseCommand } from '../../command-line/base-command.ts';
import { bootOptions } from '../../context/boot-options.ts';
import { configFlag } from '../../command-line/flags/config-flag.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';

export default class ConfigCheck extends BaseCommand {
  static override summary = 'Check the configuration and report every problem at once';
  static override description =
    'Loads the plugins that the configuration names and checks it as a start would, but opens nothing. ' +
    'Ends with status 2 when there are problems.';
  static override flags = { config: configFlag, format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ConfigCheck, this.argumentsOf(ConfigCheck));
    const { checkConfig, problemsOf, warningsOf } = await import('@portolan/kernel');
    try {
      const { configFile, warnings } = await checkConfig(
        await bootOptions({ config: flags.config, debug: flags.debug }),
      );
      const text = [`${configFile} has no problems`, ...warnings.map((warning) => `warning: ${warning}`)];
      this.print(flags.format, { file: configFile, problems: [], warnings }, text.join('\n'));
    } catch (error) {
      const problems = problemsOf(error);
      if (flags.format === 'json' && problems.length > 0) {
        this.print('json', { problems, warnings: warningsOf(error) }, '');
      }
      throw error;
    }
  }
}
