import { Args } from '@oclif/core';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { boolean } from '../../command-line/flags/flag-types.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { unsetBuildVariables } from '@portolan/workload/settings';

export default class ConfigUnsetBuildEnv extends WorkloadCommand {
  static override summary = 'Remove an environment variable from package builds';
  static override description = 'A secret that it refers to is not deleted.';
  static override usage = 'config unset-build-env KEY | --all';
  static override args = {
    key: Args.string({ description: 'name of the variable', ignoreStdin: true }),
  };
  static override flags = { all: boolean({ description: 'all variables' }) };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigUnsetBuildEnv);
    if ((args.key === undefined) !== (flags.all === true)) throw badArgument('expected either KEY or --all');
    return await this.withWorkloads(flags, async (context, signal) => {
      const gone = await unsetBuildVariables(args.key, context, signal);
      this.tell(gone.length === 0 ? ['it was not set'] : gone.map((name) => `builds no longer get ${name}`));
    });
  }
}
