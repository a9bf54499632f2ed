import { Args } from '@oclif/core';
import type { CheckedFile } from '@portolan/workload';
import { bootOptions } from '../../context/boot-options.ts';
import { configFlag } from '../../command-line/flags/config-flag.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { formatDemands } from '../../terminal/format/format-grants.ts';
import { printable } from '../../terminal/printable.ts';
import { checkFile } from '@portolan/workload/plan';
import { checkConfig } from '@portolan/kernel/check-config';
import { problemsOf, warningsOf } from '@portolan/kernel';

export default class ConfigCheck extends WorkloadCommand {
  static override summary = 'Validate the configuration or a run config file; report all problems';
  static override description =
    'Loads the plugins of the configuration and validates it as the server does at its start, but starts ' +
    'nothing. It also reads the metadata of issuers that respond. For a run config file, it shows what `run ' +
    '--from-config` would warn about, ask for and refuse. The exit status is 2 when there are problems or ' +
    'refusals.';
  static override usage = 'config check [FILE] [FLAGS]';
  static override examples = [
    '<%= config.bin %> config check --config portolan.config.yaml',
    '<%= config.bin %> config check weather.json',
  ];
  static override args = {
    file: Args.string({
      description: 'run config file, as written by `export`; by default, the configuration is checked',
      ignoreStdin: true,
    }),
  };
  static override flags = { config: configFlag, format: formatFlag };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigCheck);
    const { file } = args;
    if (file === undefined) {
      await this.#checkConfiguration(flags);
      return 0;
    }
    return await this.withWorkloads({ ...flags, settings: 'wanted' }, async (context, signal) => {
      return this.#report(await checkFile(file, context, signal), flags.format);
    });
  }

  async #checkConfiguration(flags: {
    readonly config?: string | undefined;
    readonly debug: boolean;
    readonly format: 'text' | 'json';
  }): Promise<void> {
    try {
      const { configFile, warnings } = await checkConfig(
        await bootOptions({ config: flags.config, debug: flags.debug }),
        { isOnline: true },
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

  #report({ file, workload, warnings, grants, refusals }: CheckedFile, format: 'text' | 'json'): number {
    const problems = refusals.map(({ setting, found, because }) => `${setting}: found ${found}; ${because}`);
    const text = [
      problems.length === 0 ? `${file} has no problems` : `${file} cannot be run`,
      ...warnings.map((warning) => `warning: ${warning}`),
      ...formatDemands(`${workload} asks for:`, { grants, refusals }),
    ];
    this.print(format, { file, problems, warnings, grants }, text.map(printable).join('\n'));
    return problems.length === 0 ? 0 : 2;
  }
}
